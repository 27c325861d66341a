import { type INestApplication, Inject, Injectable, Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { errorBody } from '../../../edge/http/answers/error-body.js';
import { ERROR_TABLE } from '../../../edge/http/answers/error-table.js';
import { KEY_FINDER, type KeyFinder } from '../../../edge/http/callers/bearer-key.js';
import type { Caller } from '../../../edge/http/callers/caller.js';
import { callerFields } from '../../../edge/http/server/request-log.js';
import { Refusal, type RefusalCode } from '../../../kernel/errors.js';
import { hashKeyString, hashOfKeyString, isBrokenKeyString } from '../../../kernel/key-string.js';
import { exactLimitRemaining } from '../../keys/domain/usage.js';
import { exceededLimit, type VerificationCode } from '../domain/verification.js';
import type { Verification } from '../verification.fields.js';
import { Verifier } from '../verifier.js';
import {
  AUTHORIZE,
  bearerIn,
  clientKey,
  isAuthorization,
  optionsOf,
} from './authorization-request.js';

const GATEWAY_HEADER = 'keyledger-authorization';
const LOGGED_EVERY_MS = 1_000;
/** Clients sleep for as long as they are told, and a limit may be raised meanwhile. In seconds. */
const LONGEST_RETRY_AFTER = 60;
const CHALLENGE = 'Bearer realm="keyledger", error="invalid_token"';

/** The faults of a gateway's own key. `revoked`: the key was right before, so a gateway of ours is shut out. */
export const GATEWAY_FAULTS = ['missing', 'unknown', 'revoked'] as const;

export type GatewayFault = (typeof GATEWAY_FAULTS)[number];

const REFUSALS: Readonly<Record<Exclude<VerificationCode, 'VALID'>, RefusalCode>> = {
  MALFORMED: 'key-invalid',
  NOT_FOUND: 'key-invalid',
  DISABLED: 'key-disabled',
  EXPIRED: 'key-expired',
  WRONG_WORKSPACE: 'wrong-workspace',
  LIMIT_EXCEEDED: 'limit-exceeded',
};

interface Refused {
  readonly reason: RefusalCode;
  readonly code: string;
  /** The HTTP status, if it differs from the status that the error table has for `reason`. */
  readonly status?: number;
  /** Seconds until the limit of the key resets, or fewer. */
  readonly retryAfter?: number;
}

/** Answers gateways that ask if a client's request may pass: 200, or a refusal for the client (docs/api.md 12.4). */
@Injectable()
export class Authorization {
  readonly #logger = new Logger('gateways');
  /** The time of the last log line about each fault, by `performance.now()`. */
  readonly #loggedAt = new Map<GatewayFault, number>();
  #onUnauthorized: (fault: GatewayFault) => void = () => undefined;

  constructor(
    @Inject(KEY_FINDER) private readonly keys: KeyFinder,
    private readonly verifier: Verifier,
  ) {}

  observe(onUnauthorized: (fault: GatewayFault) => void): void {
    this.#onUnauthorized = onUnauthorized;
  }

  answer(request: Request, response: Response, next: NextFunction): void {
    // A body is not read, so the next request of the connection cannot be found.
    if (announcesBody(request)) response.setHeader('Connection', 'close');
    this.#answer(request, response).catch(next);
  }

  async #answer(request: Request, response: Response): Promise<void> {
    const refused = await this.#judge(request, response);
    if (refused) sendRefused(request, response, refused);
    else response.status(200).setHeader('Content-Length', '0').end();
  }

  async #judge(request: Request, response: Response): Promise<Refused | undefined> {
    try {
      // A look at the log after this time, for the gateway's key, is recent enough for the client's key too.
      const askedAt = performance.now();
      const gateway = await this.#gateway(request);
      if (typeof gateway === 'string') return this.#unauthorized(request, gateway);
      // The options are judged before the key, because a wrong option must never get 200.
      const { workspaceId, limitStatus } = optionsOf(request);
      const hash = hashOfKeyString(clientKey(request));
      const question = { accountId: gateway.accountId, hash, workspaceId, askedAt };
      const verification = await this.verifier.verify(question);
      if (verification.code !== 'VALID') return refusedBy(verification, limitStatus);
      passOn(response, gateway, verification);
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === 'key-missing') return { reason: error.code, code: 'NO_KEY' };
      if (error.code === 'key-ambiguous') return { reason: error.code, code: 'AMBIGUOUS' };
      throw error;
    }
  }

  async #gateway(request: Request): Promise<Caller | GatewayFault> {
    const key = bearerIn(request, GATEWAY_HEADER);
    if (key === undefined) return 'missing';
    if (isBrokenKeyString(key)) return 'unknown';
    const keyHash = hashKeyString(key);
    const found = await this.keys.find(keyHash, { forVerification: true, address: request.ip });
    if (found) request.presented = found === 'revoked' ? { keyHash } : found.caller;
    if (found === 'revoked') return found;
    return found?.kind === 'management' ? found.caller : 'unknown';
  }

  #unauthorized(request: Request, fault: GatewayFault): Refused {
    this.#onUnauthorized(fault);
    const now = performance.now();
    if (now - (this.#loggedAt.get(fault) ?? -Infinity) >= LOGGED_EVERY_MS) {
      this.#loggedAt.set(fault, now);
      // Anybody can send no key or a wrong key. A revoked key means that a gateway of ours lets nobody in.
      this.#logger[fault === 'revoked' ? 'error' : 'log']({
        msg: `the management key of a gateway is ${fault}`,
        request_id: request.requestId,
        ...callerFields(request),
      });
    }
    return { reason: 'gateway-unauthorized', code: 'GATEWAY_UNAUTHORIZED' };
  }
}

function refusedBy(verification: Verification, limitStatus: number): Refused {
  const { code, key, spent, at } = verification;
  if (code === 'VALID') throw new Error('a key that may be used is not refused');
  const reason = REFUSALS[code];
  if (code !== 'LIMIT_EXCEEDED' || !key || spent === null) return { reason, code };
  const refused = { reason, code, status: limitStatus };
  if (limitStatus !== 429) return refused;
  const resetsAt = exceededLimit(key, spent, at)?.resets_at;
  const left = resetsAt == null ? Infinity : (Date.parse(resetsAt) - at.getTime()) / 1_000;
  return { retryAfter: Math.min(Math.ceil(left), LONGEST_RETRY_AFTER), ...refused };
}

/** Sends a refusal with an error body. The body names no user, because the client of the gateway may see the body. */
function sendRefused(
  { requestId }: Request,
  response: Response,
  { reason, code, retryAfter, ...refused }: Refused,
): void {
  const error = { reason, ...ERROR_TABLE[reason], ...refused };
  response.setHeader('Keyledger-Code', code);
  if (error.status === 401) response.setHeader('WWW-Authenticate', CHALLENGE);
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
  response.status(error.status).json(errorBody(error, { requestId }));
}

/** Sets all five headers, some to an empty value, so that a gateway can overwrite such headers from the client. */
function passOn(response: Response, gateway: Caller, { key, spent }: Verification): void {
  if (!key || spent === null) throw new Error('a key that may be used is there, with its spending');
  const remaining = exactLimitRemaining(key.limit, spent);
  response.setHeader('Keyledger-Key-Hash', key.hash);
  response.setHeader('Keyledger-Account', gateway.accountId);
  response.setHeader('Keyledger-Workspace', key.workspace_id);
  response.setHeader('Keyledger-External-User', encodeURIComponent(key.external_user ?? ''));
  response.setHeader('Keyledger-Limit-Remaining', remaining?.toFixed() ?? '');
}

function announcesBody({ headers }: Request): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Serves the route of gateways. The route accepts all methods, and all paths below `/v1/authorize`, even a path that
 * does not decode. No Express route accepts such a path.
 */
export function serveAuthorization(app: INestApplication): void {
  const authorization = app.get(Authorization);
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (isAuthorization(request)) {
      // Metrics and the log know a route by its pattern.
      Object.assign(request, { route: { path: AUTHORIZE } });
      authorization.answer(request, response, next);
    } else {
      next();
    }
  });
}
