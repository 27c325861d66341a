import type { Server } from 'node:http';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { protectAnswer } from '../../edge/http/server/answer-headers.js';
import { ErrorFilter } from '../../edge/http/answers/error.filter.js';
import { assignRequestId } from '../../edge/http/server/request-id.js';
import { StableShapesAdapter } from '../../edge/http/server/stable-shapes.adapter.js';
import { messageOf } from '../../kernel/errors.js';
import { Metrics } from './metrics.js';
import { serveHealth, serveMetrics } from './operations-routes.js';
import { Readiness } from './readiness.js';

/** The maximum number of connections to this port. Those of API callers do not count. */
const MOST_CONNECTIONS = 256;
/** How long an answer in flight may take when everything else has stopped. */
const LAST_ANSWERS_MS = 1_000;

@Module({})
class NoParts {}

/** The port for operators (docs/operations/process.md), with details of health, and metrics. */
export class OperationsPort {
  #app: NestExpressApplication | undefined;

  constructor(
    private readonly service: INestApplicationContext,
    private readonly at: { readonly host: string; readonly port: number },
  ) {}

  /** Listens. @returns the address on this machine. @throws Error that names the setting. */
  async listen(): Promise<string> {
    const app = await NestFactory.create<NestExpressApplication>(
      NoParts,
      new StableShapesAdapter(),
      { bodyParser: false, abortOnError: false },
    );
    app.disable('x-powered-by');
    app.disable('etag');
    app.use(protectAnswer, assignRequestId);
    app.useGlobalFilters(new ErrorFilter());
    serveHealth(app, this.service.get(Readiness), 'detail');
    serveMetrics(app, this.service.get(Metrics));
    const server: Server = app.getHttpServer();
    server.maxConnections = MOST_CONNECTIONS;
    this.#app = app;
    try {
      await app.listen(this.at.port, this.at.host);
    } catch (cause) {
      throw new Error(`OPERATIONS_PORT: the service cannot listen there: ${messageOf(cause)}`, {
        cause,
      });
    }
    return app.getUrl();
  }

  /** Closes the port as the last part of a stop of the service. */
  async close(): Promise<void> {
    const server: Server | undefined = this.#app?.getHttpServer();
    const cutOff = setTimeout(() => server?.closeAllConnections(), LAST_ANSWERS_MS);
    await this.#app?.close();
    clearTimeout(cutOff);
  }
}
