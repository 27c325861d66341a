import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { OperatorSession } from './command-line/operator-session.js';
import type { Purpose } from './command-line/program.js';
import { Maintenance } from './projections/maintenance.js';
import type { Settings } from './settings/settings.js';

/** Runs what a command does with the service's own parts, opened for it and closed after it. */
export async function inContext<Result>(
  settings: Settings,
  purpose: Purpose,
  operator: string,
  action: (session: OperatorSession) => Promise<Result>,
): Promise<Result> {
  // A command brings what it reads up to date by itself, so that it has nobody to wait for.
  const module = AppModule.register({ ...settings, readYourWritesTimeoutMs: 0 });
  const context = await NestFactory.createApplicationContext(module, {
    logger: false,
    abortOnError: false,
  });
  try {
    if (purpose === 'begins') await context.get(Maintenance).refuseLostLog();
    return await action(new OperatorSession(context, operator));
  } finally {
    await context.close();
  }
}
