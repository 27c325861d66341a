import '../../src/host/process/heap.js';
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { protectAnswer } from '../../src/edge/http/server/answer-headers.js';
import { KeyGuard } from '../../src/edge/http/callers/key.guard.js';
import { ErrorFilter } from '../../src/edge/http/answers/error.filter.js';
import {
  type FoundKey,
  KEY_FINDER,
  type KeyFinder,
} from '../../src/edge/http/callers/bearer-key.js';
import { NestLogger } from '../../src/edge/http/server/nest-logger.js';
import { parseQueryString } from '../../src/edge/http/fields/query-string.js';
import { assignRequestId } from '../../src/edge/http/server/request-id.js';
import { requestLog } from '../../src/edge/http/server/request-log.js';
import { JsonBodyGuard } from '../../src/edge/http/requests/json-body.guard.js';
import { StableShapesAdapter } from '../../src/edge/http/server/stable-shapes.adapter.js';
import { hashKeyString } from '../../src/kernel/key-string.js';
import { requestMetrics } from '../../src/host/monitoring/request-metrics.js';
import { openLogger } from '../../src/host/process/logger.js';
import { BaselineController, STATIC_PAGE } from './baseline.controller.js';

export interface BaselineTask {
  readonly key: string;
  /** The answer of GET. */
  readonly page: object;
}

export interface BaselineStarted {
  readonly address: string;
}

@Module({})
class BaselineModule {}

/** Serves the end-user routes like `createApp`, without a store. */
async function serve({ key, page }: BaselineTask): Promise<BaselineStarted> {
  const logger = openLogger('info').logger;
  const baseline = {
    module: BaselineModule,
    controllers: [BaselineController],
    providers: [
      { provide: STATIC_PAGE, useValue: page },
      { provide: KEY_FINDER, useValue: finderOf(key) },
      { provide: APP_GUARD, useClass: KeyGuard },
      { provide: APP_GUARD, useClass: JsonBodyGuard },
    ],
  };
  const app = await NestFactory.create<NestExpressApplication>(
    baseline,
    new StableShapesAdapter(),
    {
      bodyParser: false,
      logger: new NestLogger(logger),
    },
  );
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', parseQueryString);
  app.use(protectAnswer, assignRequestId);
  app.use(measure(), requestLog(logger));
  app.useGlobalFilters(new ErrorFilter());
  await app.listen(0, '127.0.0.1');
  return { address: await app.getUrl() };
}

function finderOf(key: string): KeyFinder {
  const keyHash = hashKeyString(key);
  const caller = {
    keyKind: 'management' as const,
    keyHash,
    stringHash: null,
    keyName: null,
    accountId: '00000000-0000-4000-8000-000000000001',
    accountKind: 'organization' as const,
    accountName: 'Baseline',
    defaultWorkspaceId: '00000000-0000-4000-8000-000000000002',
    cursorSecret: '00000000-0000-4000-8000-000000000003',
    userId: 'user-baseline',
    role: 'admin' as const,
    expiresAt: null,
  };
  const keys = new Map<string, FoundKey>([[keyHash, { caller, refusal: null }]]);
  return { find: async (hash) => keys.get(hash) ?? null };
}

/** Measures requests like the service. The baseline has no other metrics. */
function measure(): RequestHandler {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return requestMetrics(registry);
}

process.once('message', (task: BaselineTask) => {
  void serve(task).then((started) => process.send?.(started));
});
