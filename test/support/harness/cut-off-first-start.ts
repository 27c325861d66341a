import { jest } from '@jest/globals';
import { pino } from 'pino';
import type { EventLog } from '../../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../../src/event-sourcing/ledger.js';
import { FirstStart } from '../../../src/features/accounts/first-start/first-start.js';
import { createApp } from '../../../src/host/assembly/application.js';
import { Unavailable } from '../../../src/kernel/errors.js';
import { readSettings } from '../../../src/host/settings/settings.js';

/** Begins a first start that ends, like one that is killed, when it has reserved its key. */
export async function cutOffFirstStart(settings: Readonly<Record<string, string>>): Promise<void> {
  const app = await createApp(readSettings(settings), pino({ level: 'silent' }));
  const log = app.get<EventLog>(MANAGEMENT.log);
  const append = log.append.bind(log);
  jest.spyOn(log, 'append').mockImplementation(async (stream, events, expected) => {
    if (stream.startsWith('account-')) throw new Unavailable('the process', 'it was killed');
    return append(stream, events, expected);
  });
  const run = app.get(FirstStart).run(settings['BOOTSTRAP_MANAGEMENT_KEY']);
  await run.then(
    () => Promise.reject(new Error('the first start was not cut off')),
    () => undefined,
  );
  await app.close();
}
