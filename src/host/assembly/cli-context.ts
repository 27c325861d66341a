import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { OperatorSession } from '../../edge/command-line/operator-session.js';
import { Maintenance } from '../../event-sourcing/projections/maintenance.js';
import type { Settings } from '../settings/settings.js';

/** Opens the parts of the service for a command, runs the action of the command, and closes the parts. */
export async function inContext<Result>(
  settings: Settings,
  mayCreateLog: boolean,
  operator: string,
  action: (session: OperatorSession) => Promise<Result>,
): Promise<Result> {
  // A command catches its projections up itself, so its reads need not wait.
  const module = AppModule.register({ ...settings, readYourWritesTimeoutMs: 0 });
  const context = await NestFactory.createApplicationContext(module, {
    logger: false,
    abortOnError: false,
  });
  try {
    if (mayCreateLog) await context.get(Maintenance).refuseLostLog();
    return await action(new OperatorSession(context, operator));
  } finally {
    await context.close();
  }
}
