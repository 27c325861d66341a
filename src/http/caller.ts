import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Origin } from '../kernel/metadata.js';

/** Who makes a request, as its key tells. */
export interface Caller {
  readonly keyKind: 'management' | 'api';
  readonly keyHash: string;
  readonly keyName: string | null;
  readonly accountId: string;
  readonly accountKind: 'organization' | 'individual';
  readonly defaultWorkspaceId: string;
  /** Of a management key its user, of an API key its creator. */
  readonly userId: string;
}

declare module 'express' {
  interface Request {
    /** Set by assignRequestId for every request. */
    requestId?: string;
    /** Set by assignClientAddress for every request. */
    clientAddress?: string;
    /** No log line tells of it: its address has had the one of this minute (docs/api.md 1.7). */
    isQuiet?: boolean;
    /** Set by ManagementKeyGuard and AnyKeyGuard. */
    caller?: Caller;
  }
}

/** The caller of an authenticated route. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => {
    const { caller } = context.switchToHttp().getRequest<Request>();
    if (!caller) throw new Error('the route is not guarded by a key');
    return caller;
  },
);

/** Where a command that a request causes comes from. */
export const RequestOrigin = createParamDecorator(
  (_: unknown, context: ExecutionContext): Origin => {
    const http = context.switchToHttp();
    const { caller, requestId } = http.getRequest<Request>();
    if (caller?.keyKind !== 'management')
      throw new Error('the route is not guarded by a management key');
    const actor = { type: 'management-key' as const, id: caller.keyHash, user_id: caller.userId };
    const leaving = new AbortController();
    http.getResponse<Response>().once('close', () => {
      leaving.abort();
    });
    return { actor, requestId: requestId ?? null, left: leaving.signal };
  },
);
