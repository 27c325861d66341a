import { type INestApplication, Inject, Injectable, Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { KEY_FINDER, type KeyFinder } from '../../../edge/http/callers/bearer-key.js';
import type { Caller } from '../../../edge/http/callers/caller.js';
import { mayServeGateways } from '../../../edge/http/callers/roles.js';
import { announcesBody } from '../../../edge/http/requests/read-body.js';
import { whilePresent } from '../../../edge/http/server/once-closed.js';
import { callerFields } from '../../../edge/http/server/request-log.js';
import { formOf, hashKeyString } from '../../../kernel/key-string.js';
import { askedKey, FOREIGN_KEYS } from '../asked-key.js';
import { Verifier } from '../verifier.js';
import {
  AUTHORIZE,
  clientKey,
  gatewayKey,
  isForwardAuth,
  optionsOf,
} from './forward-auth-request.js';
import { passOn, gatewayRefusal, keyRefusal } from './forward-auth-answer.js';

const LOGGED_EVERY_MS = 1_000;

/** The faults of a gateway's own key. `role`: its role is not one of those for gateways. */
export const GATEWAY_FAULTS = ['missing', 'unknown', 'revoked', 'expired', 'role'] as const;

/** Faults of keys that were right once: one of our gateways now lets nobody in. */
const SHUT_OUT: ReadonlySet<string> = new Set<GatewayFault>(['revoked', 'expired']);

export type GatewayFault = (typeof GATEWAY_FAULTS)[number];

/** Answers gateways whether a client's request may pass: 200, or a refusal (docs/api.md 12.4). */
@Injectable()
export class ForwardAuth {
  readonly #logger = new Logger('gateways');
  /** The time of the last log line about each fault, by `performance.now()`. */
  readonly #loggedAt = new Map<GatewayFault, number>();
  #onUnauthorized: (fault: GatewayFault) => void = () => undefined;

  constructor(
    @Inject(KEY_FINDER) private readonly keys: KeyFinder,
    private readonly verifier: Verifier,
    @Inject(FOREIGN_KEYS) private readonly foreignKeys: boolean,
  ) {}

  observe(onUnauthorized: (fault: GatewayFault) => void): void {
    this.#onUnauthorized = onUnauthorized;
  }

  answer(request: Request, response: Response, next: NextFunction): void {
    // A body is not read, so the next request of the connection cannot be found.
    if (announcesBody(request)) response.setHeader('Connection', 'close');
    this.#requirePass(request, response).catch(next);
  }

  /** @throws Refusal unless the request of the client may pass. */
  async #requirePass(request: Request, response: Response): Promise<void> {
    // A look at the log after this time, for the gateway's key, serves the client's key too.
    const askedAt = performance.now();
    const gateway = await this.#gateway(request, response);
    if (typeof gateway === 'string') {
      this.#noteUnauthorized(request, gateway);
      throw gatewayRefusal('GATEWAY_UNAUTHORIZED');
    }
    // The options are judged before the key, because a wrong option must never get 200.
    const { workspaceId, user, limitStatus } = optionsOf(request);
    const asked = askedKey(clientKey(request), this.foreignKeys);
    const verification = await this.verifier.verify({
      accountId: gateway.accountId,
      asked,
      workspaceId,
      user,
      askedAt,
      whilePresent: whilePresent(response),
    });
    const { code } = verification;
    if (code !== 'VALID') throw keyRefusal(code, verification, limitStatus);
    passOn(response, gateway, verification);
    response.status(200).setHeader('Content-Length', '0').end();
  }

  async #gateway(request: Request, response: Response): Promise<Caller | GatewayFault> {
    const key = gatewayKey(request);
    if (key === undefined) return 'missing';
    const form = formOf(key);
    if (form === 'broken') return 'unknown';
    const keyHash = hashKeyString(key);
    const found = await this.keys.find(keyHash, {
      form,
      forVerification: true,
      address: request.ip,
      whilePresent: whilePresent(response),
    });
    if (found) request.presented = found === 'revoked' ? { keyHash } : found.caller;
    if (found === 'revoked') return found;
    if (found?.caller.keyKind !== 'management') return 'unknown';
    // A key that never was for gateways shuts none out when it expires.
    if (!mayServeGateways(found.caller)) return 'role';
    return found.refusal ? 'expired' : found.caller;
  }

  #noteUnauthorized(request: Request, fault: GatewayFault): void {
    this.#onUnauthorized(fault);
    const now = performance.now();
    if (now - (this.#loggedAt.get(fault) ?? -Infinity) < LOGGED_EVERY_MS) return;
    this.#loggedAt.set(fault, now);
    // Anybody can send no key or a wrong one.
    this.#logger[SHUT_OUT.has(fault) ? 'error' : 'log']({
      msg: `the management key of a gateway is ${fault === 'role' ? 'of a role that may not ask' : fault}`,
      request_id: request.requestId,
      ...callerFields(request),
    });
  }
}

/**
 * Serves the route of gateways. The route accepts all methods, and all paths below `/v1/authorize`,
 * even a path that does not decode. No Express route accepts such a path.
 */
export function serveForwardAuth(app: INestApplication): void {
  const forwardAuth = app.get(ForwardAuth);
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (isForwardAuth(request)) {
      // Metrics and the log know a route by its pattern.
      Object.assign(request, { route: { path: AUTHORIZE } });
      forwardAuth.answer(request, response, next);
    } else {
      next();
    }
  });
}
