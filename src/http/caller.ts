import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Origin, Trace } from '../kernel/metadata.js';

/** The caller of a request: its key and the account of the key. */
export interface Caller {
  readonly keyKind: 'management' | 'api';
  readonly keyHash: string;
  readonly keyName: string | null;
  readonly accountId: string;
  readonly accountKind: 'organization' | 'individual';
  readonly defaultWorkspaceId: string;
  /** The user of a management key, or the creator of an API key. */
  readonly userId: string;
  /** The secret of the account that seals its cursors. It is shown to nobody. */
  readonly cursorSecret: string;
}

declare module 'express' {
  interface Request {
    /** Set by assignRequestId for every request. */
    requestId?: string;
    /** Set by assignTrace for a request with a valid `traceparent`. */
    trace?: Trace;
    /** Set by assignClientAddress for every request. */
    clientAddress?: string;
    /** The log has no line for the request: its address has had its line of this minute (docs/api.md 1.7). */
    isQuiet?: boolean;
    /** The status is what the caller asked for, as of a probe or of a gateway, so it is no error (docs/api.md 8.4). */
    isStatusWanted?: boolean;
    /** Set by ManagementKeyGuard and AnyKeyGuard. */
    caller?: Caller;
    /**
     * When ManagementKeyGuard looked for the key of the caller, by `performance.now()`. The answer has all that was stored
     * before, so its look at the log is young enough for a key that is verified too.
     */
    askedAt?: number;
    /** Set for a request that a gateway asks about: the holder of the gateway's key, whom no answer names. */
    gateway?: Caller;
  }
}

/** A parameter of a guarded route: the caller. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => {
    const { caller } = context.switchToHttp().getRequest<Request>();
    if (!caller) throw new Error('the route is not guarded by a key');
    return caller;
  },
);

/** A parameter of a route that management keys may use: the origin of its command. */
export const RequestOrigin = createParamDecorator(
  (_: unknown, context: ExecutionContext): Origin => {
    const http = context.switchToHttp();
    const { caller, requestId = null, trace } = http.getRequest<Request>();
    if (caller?.keyKind !== 'management')
      throw new Error('the route is not guarded by a management key');
    const actor = { type: 'management-key' as const, id: caller.keyHash, user_id: caller.userId };
    const leaving = new AbortController();
    const response = http.getResponse<Response>();
    response.once('close', () => {
      // An abort makes an error with its stack, which an answered request need not pay for.
      if (!response.writableFinished) leaving.abort();
    });
    return { actor, requestId, ...(trace && { trace }), left: leaving.signal };
  },
);
