import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { type INestApplicationContext, NotFoundException } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import express, { type NextFunction, type Request, type Response } from 'express';
import { protectAnswer } from '../../edge/http/server/answer-headers.js';
import { ErrorFilter } from '../../edge/http/answers/error.filter.js';
import { assignRequestId } from '../../edge/http/server/request-id.js';
import { SERVER_OPTIONS } from '../../edge/http/server/server-options.js';
import { messageOf } from '../../kernel/errors.js';
import { Metrics } from './metrics.js';
import { notReady, Readiness } from './readiness.js';

/** The maximum number of connections to this port, for probes and scrapes. Connections of API callers do not count. */
const MOST_CONNECTIONS = 256;
/** How long an answer in flight may take when everything else has stopped. */
const LAST_ANSWERS_MS = 1_000;

/** The TCP port for operators (docs/operations/process.md). It serves health with details, and the metrics. */
export class OperationsPort {
  readonly #server: Server;

  constructor(
    app: INestApplicationContext,
    private readonly at: { readonly host: string; readonly port: number },
  ) {
    this.#server = createServer(SERVER_OPTIONS, routes(app.get(Readiness), app.get(Metrics)));
    this.#server.maxConnections = MOST_CONNECTIONS;
  }

  /** Listens on the port. @returns the address, such as `http://127.0.0.1:3001`. @throws Error that names the setting. */
  async listen(): Promise<string> {
    const { host } = this.at;
    try {
      this.#server.listen(this.at);
      await once(this.#server, 'listening');
    } catch (cause) {
      throw new Error(`OPERATIONS_PORT: cannot be listened on: ${messageOf(cause)}`, { cause });
    }
    const { port } = this.#server.address() as AddressInfo;
    return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  }

  /** Closes the port as the last part of a stop of the service. */
  async close(): Promise<void> {
    const cutOff = setTimeout(() => this.#server.closeAllConnections(), LAST_ANSWERS_MS);
    await new Promise((resolve) => this.#server.close(resolve));
    clearTimeout(cutOff);
  }
}

function routes(readiness: Readiness, metrics: Metrics): express.Express {
  const filter = new ErrorFilter(() => undefined);
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.use(protectAnswer, assignRequestId);
  app.get('/health/live', (_request, response) => {
    response.json({ status: 'live' });
  });
  app.get('/health/ready', async ({ requestId }: Request, response: Response) => {
    const obstacles = await readiness.obstacles();
    const missing = obstacles.map(({ part, detail }) => ({ part, problem: detail }));
    if (missing.length === 0) response.json(readiness.ready());
    else response.status(503).json(notReady(missing, requestId));
  });
  app.get('/metrics', async (_request, response) => {
    const text = await metrics.text();
    response.setHeader('Content-Type', metrics.contentType).send(text);
  });
  app.use(() => {
    throw new NotFoundException();
  });
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    filter.catch(error, new ExecutionContextHost([request, response]));
  });
  return app;
}
