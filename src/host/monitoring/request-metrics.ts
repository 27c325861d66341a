import type { RequestHandler } from 'express';
import { Histogram, type Registry } from 'prom-client';
import { outcomeOf } from '../../edge/http/server/response-outcome.js';
import { routeOf } from '../../edge/http/server/route-of.js';

/** The upper bounds of every histogram of durations, in seconds. Equal bounds make histograms comparable. */
export const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Makes the metric of requests. Returns the middleware that measures the time until the end of the answer. */
export function requestMetrics(registry: Registry): RequestHandler {
  const requests = new Histogram({
    name: 'keyledger_http_request_duration_seconds',
    help: 'Duration of HTTP requests by method, route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  return (request, response, next) => {
    const stop = requests.startTimer();
    response.once('close', () => {
      const route = routeOf(request) ?? 'none';
      const outcome = outcomeOf(response);
      const status = outcome === 'whole' ? response.statusCode : outcome;
      stop({ method: request.method, route, status });
    });
    next();
  };
}
