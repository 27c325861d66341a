import type { NextFunction, Request, Response } from 'express';
import { Counter, Histogram, type Registry } from 'prom-client';
import { endOf } from '../http/broken-answers.js';
import { ERROR_TABLE } from '../http/error-table.js';
import { routeOf } from '../http/route-of.js';
import type { RefusalCode } from '../kernel/errors.js';
import { DURATION_BUCKETS } from './duration-buckets.js';

/** The refusals of those who may not come in: every 401, what takes its place, and a key of the wrong kind. */
const AUTHENTICATION_REFUSALS = new Set<string>([
  ...Object.entries(ERROR_TABLE).flatMap(([code, { status }]) => (status === 401 ? [code] : [])),
  'too-many-authentication-failures',
  'not-a-management-key',
]);

/** What happens at the edge. */
export class RequestMetrics {
  readonly #requests;
  readonly #authenticationRefusals;
  readonly #rateLimited;

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
    this.#rateLimited = new Counter({
      name: 'keyledger_key_creations_rate_limited_total',
      help: 'Creations of keys refused because of the rate limit.',
      registers,
    });
  }

  /** Times a request from here to the end of its answer. */
  readonly observe = (request: Request, response: Response, next: NextFunction): void => {
    const stop = this.#requests.startTimer();
    response.once('close', () => {
      const route = routeOf(request) ?? 'none';
      const end = endOf(response);
      const status = end === 'whole' ? response.statusCode : end;
      stop({ method: request.method, route, status });
    });
    next();
  };

  readonly refused = (code: RefusalCode): void => {
    if (AUTHENTICATION_REFUSALS.has(code)) this.#authenticationRefusals.inc({ code });
    if (code === 'rate-limited') this.#rateLimited.inc();
  };
}
