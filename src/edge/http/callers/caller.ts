import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AccountKind } from '../../../kernel/account-kind.js';
import { Refusal } from '../../../kernel/errors.js';
import type { Origin, Trace } from '../../../kernel/metadata.js';
import type { Role } from '../../../kernel/role.js';

/** The caller of a request: the key that the request is made with, and the account of the key. */
export interface Caller {
  readonly keyKind: 'management' | 'api';
  readonly keyHash: string;
  /** The hash of the string of an API key that was presented; null for a management key. */
  readonly stringHash: string | null;
  readonly keyName: string | null;
  readonly accountId: string;
  readonly accountKind: AccountKind;
  /** The name of the account of a management key; null for an API key. */
  readonly accountName: string | null;
  readonly defaultWorkspaceId: string;
  /** A random string that seals the cursors of the account. No answer, log or metric shows it. */
  readonly cursorSecret: string;
  /** The id of the user of a management key, or of the creator of an API key. */
  readonly userId: string;
  /** The role of a management key; null for an API key. */
  readonly role: Role | null;
  /** When a management key expires, in ISO 8601 UTC; null for never, and for an API key. */
  readonly expiresAt: string | null;
}

declare module 'express' {
  interface Request {
    /** Set by assignRequestId for every request. */
    requestId?: string;
    /** Set by assignTrace for a request with a valid `traceparent`. */
    trace?: Trace;
    /** Set by KeyGuard. */
    caller?: Caller;
    /**
     * The time, by `performance.now()`, when KeyGuard began to look up the key of the caller. A
     * verification counts as asked at this time. So one look at the log serves the caller's key and
     * the verified key.
     */
    askedAt?: number;
    /** The key of the request, refused or not, or of a gateway. Only log lines name it. */
    presented?: Pick<Caller, 'keyHash'> & Partial<Caller>;
  }
}

export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => {
    const { caller } = context.switchToHttp().getRequest<Request>();
    if (!caller) throw new Error('the route is not guarded by a key');
    return caller;
  },
);

/** The context of a request, for a handler that asks a guard again. */
export const CurrentContext = createParamDecorator(
  (_: unknown, context: ExecutionContext): ExecutionContext => context,
);

export const AskedAt = createParamDecorator((_: unknown, context: ExecutionContext): number => {
  const { askedAt } = context.switchToHttp().getRequest<Request>();
  return askedAt ?? performance.now();
});

export const RequestOrigin = createParamDecorator(
  (_: unknown, context: ExecutionContext): Origin => {
    const http = context.switchToHttp();
    const { caller, requestId = null, trace } = http.getRequest<Request>();
    if (caller?.keyKind !== 'management') {
      throw new Error('the route is not guarded by a management key');
    }
    const actor = { type: 'management-key' as const, id: caller.keyHash, user_id: caller.userId };
    const response = http.getResponse<Response>();
    const hasLeft = (): boolean => response.destroyed;
    return { actor, requestId, ...(trace && { trace }), hasLeft };
  },
);

/** Returns the id of a caller's organization. @throws Refusal without one (docs/api.md 5.4). */
export function organizationOf({ accountKind, accountId }: Caller): string {
  if (accountKind !== 'organization') throw new Refusal('organization-required');
  return accountId;
}
