import type { NextFunction, Request, Response } from 'express';
import { Counter, Histogram, type Registry } from 'prom-client';
import { outcomeOf } from '../../edge/http/server/response-outcome.js';
import { ERROR_TABLE } from '../../edge/http/answers/error-table.js';
import { routeOf } from '../../edge/http/server/route-of.js';
import type { Refusal } from '../../kernel/errors.js';
import { DURATION_BUCKETS } from './duration-buckets.js';

/** The refusals of authentication: every 401, and a key of the wrong kind. */
const AUTHENTICATION_REFUSALS = new Set<string>([
  ...Object.entries(ERROR_TABLE).flatMap(([code, { status }]) => (status === 401 ? [code] : [])),
  'not-a-management-key',
]);

/** The metrics of requests: how long they took, refused keys, and requests refused by a limit. */
export class RequestMetrics {
  readonly #requests;
  readonly #authenticationRefusals;
  readonly #limited;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Histogram({
      name: 'keyledger_http_request_duration_seconds',
      help: 'Duration of HTTP requests by method, route pattern and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#authenticationRefusals = new Counter({
      name: 'keyledger_authentication_refusals_total',
      help: 'Requests refused because of their key, by the code of the refusal.',
      labelNames: ['code'],
      registers,
    });
    for (const code of AUTHENTICATION_REFUSALS) this.#authenticationRefusals.inc({ code }, 0);
    this.#limited = new Counter({
      name: 'keyledger_limited_requests_total',
      help: 'Requests refused with 429, by the limit that they exceeded.',
      labelNames: ['limit'],
      registers,
    });
    for (const limit of ['key-creation', 'writes', 'streams']) this.#limited.inc({ limit }, 0);
  }

  /** Measures the time from this middleware to the end of the answer. */
  readonly observe = (request: Request, response: Response, next: NextFunction): void => {
    const stop = this.#requests.startTimer();
    response.once('close', () => {
      const route = routeOf(request) ?? 'none';
      const outcome = outcomeOf(response);
      const status = outcome === 'whole' ? response.statusCode : outcome;
      stop({ method: request.method, route, status });
    });
    next();
  };

  readonly refused = ({ code, details }: Refusal): void => {
    if (AUTHENTICATION_REFUSALS.has(code)) this.#authenticationRefusals.inc({ code });
    if (ERROR_TABLE[code].status !== 429) return;
    const limit = code === 'too-many-streams' ? 'streams' : String(details?.limit);
    this.#limited.inc({ limit });
  };
}
