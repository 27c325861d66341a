import { Inject, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { routeOf } from '../http/route-of.js';
import { Projections } from '../projections/projections.js';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What the service tells Prometheus. */
@Injectable()
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Histogram({
    name: 'keyledger_http_request_duration_seconds',
    help: 'Duration of HTTP requests by method, route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [this.#registry],
  });

  constructor(@Inject(Projections) projections: Projections) {
    collectDefaultMetrics({ register: this.#registry });
    new Gauge({
      name: 'keyledger_projection_state',
      help: '1 for the state a projection is in (idle, catching-up, live, stuck), 0 for the others.',
      labelNames: ['projection', 'state'],
      registers: [this.#registry],
      collect(): void {
        this.reset();
        for (const { projection, state } of projections.all) {
          this.set({ projection: projection.name, state }, 1);
        }
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Times a request from here to the end of its answer. */
  readonly observe = (request: Request, response: Response, next: NextFunction): void => {
    const stop = this.#requests.startTimer();
    response.once('finish', () => {
      const route = routeOf(request) ?? 'none';
      stop({ method: request.method, route, status: response.statusCode });
    });
    next();
  };
}
