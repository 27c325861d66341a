import '../../src/host/process/heap.js';
import 'reflect-metadata';
import { Controller, Inject, Module } from '@nestjs/common';
import type { QueryBus } from '@nestjs/cqrs';
import type { NextFunction, Request, Response } from 'express';
import { AppModule } from '../../src/host/assembly/app.module.js';
import { createApp } from '../../src/host/assembly/application.js';
import { KEY_FINDER } from '../../src/edge/http/callers/bearer-key.js';
import { Authorization } from '../../src/features/keys/authorize/authorize.lookup.js';
import { VerifyKeyController } from '../../src/features/keys/verify-key/verify-key.controller.js';
import { openLog } from '../../src/host/process/logger.js';
import { Projections } from '../../src/event-sourcing/projections/projections.js';
import { readSettings } from '../../src/host/settings/settings.js';
import type { BaselineStarted } from './baseline.js';
import { decidesNothing, NOTHING_DECIDED } from './verification.js';

export interface BesideTask {
  readonly dataDir: string;
}

const NOTHING = Symbol('Nothing');
/** The thread programs of the built service, from the bundle of this module. */
const PROJECTOR = new URL('../projector-thread.js', import.meta.url);
const WAL_CHECKPOINTS = new URL('../wal-checkpoint-thread.js', import.meta.url);

@Controller('bench/keys')
class UndecidedController extends VerifyKeyController {
  constructor(@Inject(NOTHING) queries: QueryBus) {
    super(queries);
  }
}

@Module({})
class BesideModule {}

/** Serves all routes of the service, and the routes that decide nothing. */
async function serve({ dataDir }: BesideTask): Promise<BaselineStarted> {
  const settings = readSettings({ DATA_DIR: dataDir });
  const { logger } = openLog('info');
  const app = await createApp(settings, logger, {
    module: BesideModule,
    imports: [
      AppModule.register(settings, { projector: PROJECTOR, walCheckpoints: WAL_CHECKPOINTS }),
    ],
    controllers: [UndecidedController],
    providers: [{ provide: NOTHING, useValue: decidesNothing }],
  });
  const undecided = new Authorization(app.get(KEY_FINDER), app.get<QueryBus>(NOTHING));
  letPass(app.get(Authorization), undecided);
  await app.listen(0, '127.0.0.1');
  const projections = app.get(Projections);
  projections.start();
  await projections.caughtUp();
  return { address: await app.getUrl() };
}

/**
 * Gives requests for the path that decides nothing to its own handler. The two paths differ in case only, so both take
 * the same way through Express.
 */
function letPass(authorization: Authorization, undecided: Authorization): void {
  const decide = authorization.answer.bind(authorization);
  authorization.answer = (request: Request, response: Response, next: NextFunction) => {
    if (request.path === NOTHING_DECIDED.authorize) undecided.answer(request, response, next);
    else decide(request, response, next);
  };
}

process.once('message', (task: BesideTask) => {
  void serve(task).then((started) => process.send?.(started));
});
