import type { NextFunction, Request, Response } from 'express';
import { Counter, Histogram, type Registry } from 'prom-client';
import { ERROR_TABLE } from '../../edge/http/answers/error-table.js';
import { outcomeOf } from '../../edge/http/server/response-outcome.js';
import { routeOf } from '../../edge/http/server/route-of.js';
import type { Refusal } from '../../kernel/errors.js';

/** The upper bounds of every histogram of durations, in seconds. Equal bounds make histograms comparable. */
export const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** The refusals of authentication: every 401, and a key of the wrong kind. */
const AUTHENTICATION_REFUSALS = new Set<string>([
  ...Object.entries(ERROR_TABLE).flatMap(([code, { status }]) => (status === 401 ? [code] : [])),
  'not-a-management-key',
]);

/** Makes a counter with a series from the start for each value of its label. @returns a function that counts one. */
export function counterOf(
  registry: Registry,
  name: string,
  help: string,
  { label, values }: { readonly label: string; readonly values: Iterable<string> },
): (value: string) => void {
  const counter = new Counter({ name, help, labelNames: [label], registers: [registry] });
  for (const value of values) counter.inc({ [label]: value }, 0);
  return (value) => counter.inc({ [label]: value });
}

/** The metrics of requests: how long they took, refused keys, and requests refused by a limit. */
export class RequestMetrics {
  readonly #requests;
  readonly #countKeyRefusal;
  readonly #countLimited;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Histogram({
      name: 'keyledger_http_request_duration_seconds',
      help: 'Duration of HTTP requests by method, route pattern and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#countKeyRefusal = counterOf(
      registry,
      'keyledger_authentication_refusals_total',
      'Requests refused because of their key, by the code of the refusal.',
      { label: 'code', values: AUTHENTICATION_REFUSALS },
    );
    this.#countLimited = counterOf(
      registry,
      'keyledger_limited_requests_total',
      'Requests refused with 429, by the limit that they exceeded.',
      { label: 'limit', values: ['key-creation', 'usage', 'writes', 'streams'] },
    );
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
    if (AUTHENTICATION_REFUSALS.has(code)) this.#countKeyRefusal(code);
    if (ERROR_TABLE[code].status !== 429) return;
    this.#countLimited(code === 'too-many-streams' ? 'streams' : String(details?.limit));
  };
}
