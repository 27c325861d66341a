import type { Request, RequestHandler } from 'express';
import { Counter, Histogram, type Registry } from 'prom-client';
import { outcomeOf } from '../../edge/http/server/response-outcome.js';
import { routeOf } from '../../edge/http/server/route-of.js';
import type { RefusalCode } from '../../kernel/refusals.js';

/** The upper bounds of all histograms of durations, in seconds, so that they can be compared. */
export const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

const REPORT_ROUTE = '/v1/usage-reports/:report_id';
/** The refusals that no repeat cures. Each has a series from the start, so alerts see the first. */
const PERMANENT_REFUSALS: readonly RefusalCode[] = [
  'request-invalid',
  'occurred-at-out-of-range',
  'body-too-large',
  'usage-report-differs',
];

/** Makes the metrics of requests, and returns the middleware that measures whole answers. */
export function requestMetrics(registry: Registry): RequestHandler {
  const requests = new Histogram({
    name: 'keyledger_http_request_duration_seconds',
    help: 'Duration of HTTP requests by method, route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  const reportsRefused = new Counter({
    name: 'keyledger_usage_reports_refused_total',
    help: 'Usage reports that were answered with an error, by its reason.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of PERMANENT_REFUSALS) reportsRefused.inc({ reason }, 0);
  return (request: Request, response, next) => {
    const stop = requests.startTimer();
    response.once('close', () => {
      const route = routeOf(request) ?? 'none';
      const outcome = outcomeOf(response);
      const status = outcome === 'whole' ? response.statusCode : outcome;
      stop({ method: request.method, route, status });
      const { method, refusedFor: reason } = request;
      if (method === 'PUT' && route === REPORT_ROUTE && reason) reportsRefused.inc({ reason });
    });
    next();
  };
}
