import '../../src/host/process/heap.js';
import 'reflect-metadata';
import { Controller, Module } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { AppModule } from '../../src/host/assembly/app.module.js';
import { createApp } from '../../src/host/assembly/application.js';
import { KEY_FINDER } from '../../src/edge/http/callers/bearer-key.js';
import { ForwardAuth } from '../../src/features/verification/forward-auth/forward-auth.js';
import { EndUserMemory } from '../../src/features/verification/known-keys/end-user-memory.js';
import { Verifier } from '../../src/features/verification/verifier.js';
import { VerificationController } from '../../src/features/verification/verification.controller.js';
import { openLogger } from '../../src/host/process/logger.js';
import { type Ledger, OPEN_LEDGERS } from '../../src/event-sourcing/ledger.js';
import { readSettings } from '../../src/host/settings/settings.js';
import type { BaselineStarted } from './baseline.js';
import { DecidesNothing, NOTHING_DECIDED } from './verification.js';

export interface BesideTask {
  readonly dataDir: string;
}

/** The thread program of the built service, from the bundle of this module. */
const PROJECTOR = new URL('../projector-thread.js', import.meta.url);

@Controller('bench/keys')
class UndecidedController extends VerificationController {}

@Module({})
class BesideModule {}

/** Serves all routes of the service, and the routes that decide nothing. */
async function serve({ dataDir }: BesideTask): Promise<BaselineStarted> {
  const settings = readSettings({ DATA_DIR: dataDir });
  const { logger } = openLogger('info');
  const app = await createApp(settings, logger, {
    module: BesideModule,
    imports: [AppModule.register(settings, { projector: () => PROJECTOR })],
    controllers: [UndecidedController],
    providers: [EndUserMemory, DecidesNothing, { provide: Verifier, useExisting: DecidesNothing }],
  });
  const undecided = new ForwardAuth(app.get(KEY_FINDER), app.get(DecidesNothing), false);
  letPass(app.get(ForwardAuth), undecided);
  await app.listen(0, '127.0.0.1');
  const sides = app.get<readonly Ledger[]>(OPEN_LEDGERS);
  for (const { models } of sides) models.start();
  await Promise.all(sides.map(({ models }) => models.caughtUp));
  return { address: await app.getUrl() };
}

/**
 * Gives requests for the path that decides nothing to its own handler. The two paths differ in case
 * only, so both take the same way through Express.
 */
function letPass(authorization: ForwardAuth, undecided: ForwardAuth): void {
  const decide = authorization.answer.bind(authorization);
  authorization.answer = (request: Request, response: Response, next: NextFunction) => {
    const isUndecided = request.path.startsWith(NOTHING_DECIDED.authorize);
    const answer = isUndecided ? undecided.answer.bind(undecided) : decide;
    answer(request, response, next);
  };
}

process.once('message', (task: BesideTask) => {
  void serve(task).then((started) => process.send?.(started));
});
