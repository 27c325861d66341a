import type { INestApplication } from '@nestjs/common';
import type { Request, Response } from 'express';
import { sendError } from '../../edge/http/answers/error.filter.js';
import { FAULT_TABLE } from '../../edge/http/answers/error-table.js';
import type { Metrics } from './metrics.js';
import type { Readiness } from './readiness.js';

/** Serves `/health/live` and `/health/ready` (docs/operations/process.md). */
export function serveHealth(
  app: INestApplication,
  readiness: Readiness,
  shown: 'problem' | 'detail',
): void {
  const routes = app.getHttpAdapter();
  routes.get('/health/live', (_request: Request, response: Response) => {
    response.json({ status: 'live' });
  });
  routes.get('/health/ready', async (request: Request, response: Response) => {
    const obstacles = await readiness.obstacles();
    if (obstacles.length === 0) {
      response.json({ status: 'ready' });
      return;
    }
    const missing = obstacles.map(({ part, [shown]: problem }) => ({ part, problem }));
    const answer = { reason: 'not-ready', ...FAULT_TABLE['not-ready'], metadata: { missing } };
    sendError(request, response, answer);
  });
}

/** Serves `/metrics` (docs/metrics.md). */
export function serveMetrics(app: INestApplication, metrics: Metrics): void {
  app.getHttpAdapter().get('/metrics', async (_request: Request, response: Response) => {
    const text = await metrics.text();
    response.setHeader('Content-Type', metrics.contentType).send(text);
  });
}
