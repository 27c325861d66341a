import type { Server } from 'node:http';
import { NotFoundException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { claimLogs } from './claim-logs.js';
import { serveConsole } from './serve-console.js';
import { LEDGERS } from '../ledgers/ledgers.js';
import { KeyMemory } from '../../features/verification/known-keys/key-memory.js';
import { SpentSoFar } from '../../features/usage/spent-toward-limits/spent-so-far.js';
import { protectAnswer } from '../../edge/http/server/answer-headers.js';
import { ErrorFilter } from '../../edge/http/answers/error.filter.js';
import { NestLogger } from '../../edge/http/server/nest-logger.js';
import { parseQueryString } from '../../edge/http/fields/query-string.js';
import { assignRequestId } from '../../edge/http/server/request-id.js';
import { requestLog } from '../../edge/http/server/request-log.js';
import { CONNECTION_SILENCE_MS } from '../../edge/http/server/server-options.js';
import { StableShapesAdapter } from '../../edge/http/server/stable-shapes.adapter.js';
import { assignTrace } from '../../edge/http/server/trace-context.js';
import { serveForwardAuth } from '../../features/verification/forward-auth/forward-auth.js';
import { embeddedLogFile } from '../../event-sourcing/event-log/embedded-event-log.js';
import { writeAheadBytes } from '../../event-sourcing/sqlite/open-database.js';
import { serveDocuments, serveRoot } from '../monitoring/document-routes.js';
import { Metrics } from '../monitoring/metrics.js';
import { serveHealth, serveMetrics } from '../monitoring/operations-routes.js';
import { Readiness } from '../monitoring/readiness.js';
import { isEmbedded, type Settings } from '../settings/settings.js';

/**
 * Creates the HTTP application. It neither listens nor folds read models yet.
 * @param consoleFolder the built console, if it is served.
 */
export async function createApp(
  settings: Settings,
  logger: Logger,
  module = AppModule.register(settings),
  consoleFolder?: string,
): Promise<NestExpressApplication> {
  if (isEmbedded(settings)) claimLogs(settings.DATA_DIR, logger);
  const app = await NestFactory.create<NestExpressApplication>(module, new StableShapesAdapter(), {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', settings.TRUSTED_PROXIES);
  app.set('query parser', parseQueryString);
  const metrics = app.get(Metrics);
  // The order is that of the stops of a request (src/edge/README.md).
  app.use(protectAnswer, assignRequestId, assignTrace);
  app.use(metrics.observe, requestLog(logger));
  metrics.observeWriteAhead(() =>
    isEmbedded(settings)
      ? Object.values(LEDGERS)
          .map(({ log }) => writeAheadBytes(embeddedLogFile(settings.DATA_DIR, log)))
          .reduce((all, bytes) => all + bytes)
      : 0,
  );
  app.useGlobalFilters(new ErrorFilter());
  serveForwardAuth(app);
  app.use('/v1/keys/verify', refuseOtherMethods);
  serveRoot(app, settings.DOCS);
  serveHealth(app, app.get(Readiness), 'problem');
  if (settings.OPERATIONS_PORT === undefined) serveMetrics(app, metrics);
  if (settings.DOCS) serveDocuments(app, settings.PUBLIC_URL);
  if (consoleFolder !== undefined) serveConsole(app, consoleFolder);
  const server: Server = app.getHttpServer();
  limitConnections(server, settings);
  metrics.observeConnections(server);
  await app.init();
  // Commands verify nothing, so only a service follows the logs.
  app.get(KeyMemory).start();
  app.get(SpentSoFar).start();
  return app;
}

/** Keeps the routes of `/v1/keys/:hash` from answering a path that is no hash (docs/api.md 1.1). */
function refuseOtherMethods({ method, path }: Request, _: Response, next: NextFunction): void {
  // The path is relative here.
  next(method === 'POST' || path !== '/' ? undefined : new NotFoundException());
}

/** Sets the limits of connections (docs/api.md 1.6). `SERVER_OPTIONS` has those of requests. */
function limitConnections(server: Server, settings: Settings): void {
  server.timeout = CONNECTION_SILENCE_MS;
  server.keepAliveTimeout = settings.KEEP_ALIVE_TIMEOUT;
  server.maxConnections = settings.MAX_CONNECTIONS;
  // Node silently drops headers above this number. The size of the headers is limited already.
  server.maxHeadersCount = 0;
}
