import type { Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { KeyLookUp } from './authentication/find-key.lookup.js';
import { AccountConcurrencyInterceptor } from './http/account-concurrency.interceptor.js';
import { protectAnswer } from './http/answer-headers.js';
import { boundConnections } from './http/bounded-connections.js';
import { ErrorFilter } from './http/error.filter.js';
import { closeIdleConnections } from './http/idle-connections.js';
import { NestLogger } from './http/nest-logger.js';
import { membership } from './http/networks.js';
import { parseQueryString } from './http/query-string.js';
import { assignRequestId } from './http/request-id.js';
import { requestTimeouts } from './http/request-times.js';
import { checkHostOurselves, requireHost } from './http/require-host.js';
import { requestLog } from './http/request-log.js';
import { noteRead } from './http/log-position.js';
import { readTargets } from './http/request-target.js';
import { answerSocketErrors } from './http/socket-errors.js';
import { StableShapesAdapter } from './http/stable-shapes.adapter.js';
import { assignTrace } from './http/trace-context.js';
import { cutOffUnreadAnswers } from './http/unread-answers.js';
import { answerUnconditionally } from './http/unconditional.js';
import { Authorization, GATEWAY_FAULTS } from './keys/authorize/authorize.lookup.js';
import { serveAuthorization } from './keys/authorize/serve-authorization.js';
import { VERIFICATION_CODES } from './keys/domain/verification.js';
import { VerifyKeyHandler } from './keys/verify-key/verify-key.lookup.js';
import { serveDocuments } from './operations/document-routes.js';
import { Metrics } from './operations/metrics.js';
import { serveRoot } from './operations/root-route.js';
import { ReadYourWrites } from './projections/read-your-writes.js';
import type { Settings } from './settings/settings.js';

/** Creates the HTTP application, for `main` and the tests. The application neither listens nor runs projections yet. */
export async function createApp(
  settings: Settings,
  logger: Logger,
  module = AppModule.register(settings),
): Promise<NestExpressApplication> {
  const adapter = new StableShapesAdapter(requestTimeouts(settings.connections));
  const app = await NestFactory.create<NestExpressApplication>(module, adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.disable('etag');
  answerUnconditionally(app);
  app.set('trust proxy', settings.trustedProxies);
  app.set('query parser', parseQueryString);
  const metrics = app.get(Metrics);
  app.use(protectAnswer, assignRequestId, assignTrace);
  app.use(metrics.observe, requestLog(logger), requireHost);
  metrics.observeVerifications({
    keys: app.get(KeyLookUp),
    verifications: app.get(VerifyKeyHandler),
    codes: VERIFICATION_CODES,
    gateways: app.get(Authorization),
    gatewayFaults: GATEWAY_FAULTS,
  });
  app.get(ReadYourWrites).onRead(noteRead);
  app.useGlobalFilters(new ErrorFilter(metrics.refused));
  app.useGlobalInterceptors(new AccountConcurrencyInterceptor());
  serveAuthorization(app);
  serveRoot(app, settings.docs);
  if (settings.docs) serveDocuments(app, settings.publicUrl);
  guardServer(app.getHttpServer(), settings, metrics);
  await app.init();
  return app;
}

/** Sets the limits of an HTTP server, and answers requests that Node would otherwise answer by itself. */
function guardServer(
  server: Server,
  { connections, trustedProxies }: Settings,
  { connections: observer }: Metrics,
): void {
  const isTrusted = membership(trustedProxies);
  // Node silently drops headers above this number. The size of the headers is limited already.
  server.maxHeadersCount = 0;
  closeIdleConnections(server, connections.keepAliveMs);
  boundConnections(server, { ...connections, isTrusted }, observer.refused);
  cutOffUnreadAnswers(server, connections.unreadMs, observer.cutOff);
  answerSocketErrors(server);
  checkHostOurselves(server);
  readTargets(server);
}
