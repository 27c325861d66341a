import type { Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Logger } from 'pino';
import { workspaceSchema } from './accounts/workspace.openapi.js';
import { AppModule } from './app.module.js';
import { auditEventSchema } from './audit-trail/audit-event.openapi.js';
import { endUserSchema } from './end-users/end-user.openapi.js';
import { RegisterEndUserRequest } from './end-users/register-end-user/register-end-user.request.js';
import { UpdateEndUserRequest } from './end-users/update-end-user/update-end-user.request.js';
import { ErrorFilter } from './http/error.filter.js';
import { closeIdleConnections } from './http/idle-connections.js';
import { NestLogger } from './http/nest-logger.js';
import { errorSchema } from './http/openapi.js';
import { parseQueryString } from './http/query-string.js';
import { assignRequestId } from './http/request-id.js';
import { checkHostOurselves, requireHost } from './http/require-host.js';
import { requestLog } from './http/request-log.js';
import { readTargets } from './http/request-target.js';
import { answerSocketErrors } from './http/socket-errors.js';
import { StableShapesAdapter } from './http/stable-shapes.adapter.js';
import { answerUnconditionally } from './http/unconditional.js';
import { keySchema } from './keys/key.openapi.js';
import { currentKeySchema } from './keys/read-current-key/read-current-key.openapi.js';
import { apiDocument } from './operations/api-document.js';
import { serveDocuments } from './operations/document-routes.js';
import { Metrics } from './operations/metrics.js';
import { hideStockPage, protectPage } from './operations/stock-page.js';
import type { Settings } from './settings/settings.js';

/**
 * How long a connection without a request is kept open: longer than load balancers and clients keep theirs, so that
 * it is they who close it. A server that closes first may do so just as a request is on its way.
 */
const KEEP_ALIVE_MS = 75_000;

/** The HTTP application, complete but not listening and not projecting yet. `main` and the tests share it. */
export async function createApp(
  settings: Settings,
  logger: Logger,
  module = AppModule.register(settings),
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(module, new StableShapesAdapter(), {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.disable('etag');
  answerUnconditionally(app);
  app.set('query parser', parseQueryString);
  const metrics = app.get(Metrics);
  app.use(assignRequestId, metrics.observe, requestLog(logger), requireHost);
  app.useGlobalFilters(new ErrorFilter(metrics.refused));
  const schemas = {
    Key: keySchema,
    CurrentKey: currentKeySchema,
    EndUser: endUserSchema,
    Workspace: workspaceSchema,
    AuditEvent: auditEventSchema,
    Error: errorSchema,
  };
  app.use('/docs', protectPage, hideStockPage);
  const closed = [RegisterEndUserRequest, UpdateEndUserRequest];
  let document: OpenAPIObject | undefined;
  const described = (): OpenAPIObject => (document ??= apiDocument(app, schemas, closed));
  SwaggerModule.setup('docs', app, described, { raw: false, customSiteTitle: 'Keyledger API' });
  serveDocuments(app, described);
  const server: Server = app.getHttpServer();
  closeIdleConnections(server, KEEP_ALIVE_MS);
  answerSocketErrors(server);
  checkHostOurselves(server);
  readTargets(server);
  await app.init();
  return app;
}
