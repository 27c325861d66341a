import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino } from 'pino';
import { FirstStart } from '../../src/features/accounts/first-start/first-start.js';
import { createApp } from '../../src/host/assembly/application.js';
import { EVENT_LOG, type EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { hashKeyString } from '../../src/kernel/key-string.js';
import { Unavailable } from '../../src/kernel/errors.js';
import { START } from '../../src/kernel/position.js';
import { readSettings } from '../../src/host/settings/settings.js';
import { makeTempDirectory } from '../support/harness/temp-directory.js';

const GONE = new Unavailable('event log', new Error('gone'));

describe('the first start on a log that fails in between', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let app: NestExpressApplication;
  let log: EventLog;

  beforeEach(async () => {
    directory = makeTempDirectory();
    const settings = readSettings({ DATA_DIR: directory.path });
    app = await createApp(settings, pino({ level: 'silent' }));
    log = app.get<EventLog>(EVENT_LOG);
  });

  afterEach(async () => {
    await app.close();
    directory.remove();
  });

  it('gives the minted key when the attempt that stored it seemed to fail', async () => {
    const append = log.append.bind(log);
    log.append = async (...args) => {
      await append(...args);
      throw GONE;
    };
    await expect(app.get(FirstStart).run(undefined)).rejects.toThrow(Unavailable);
    log.append = append;
    const key = await app.get(FirstStart).run(undefined);
    const [first] = (await log.readStream('account-00000000-0000-4000-8000-000000000001')).events;
    expect(key).toMatch(/^mk-v1-/);
    expect(JSON.stringify((await log.readStream(first?.stream ?? '')).events)).toContain(
      hashKeyString(key ?? ''),
    );
  });

  it('stores nothing before it succeeds, and one account then', async () => {
    const append = log.append.bind(log);
    log.append = () => Promise.reject(GONE);
    await expect(app.get(FirstStart).run(undefined)).rejects.toThrow(Unavailable);
    expect(await log.head()).toBe(START);
    log.append = append;
    expect(await app.get(FirstStart).run(undefined)).toMatch(/^mk-v1-/);
    const head = await log.head();
    await app.get(FirstStart).run(undefined);
    expect(await log.head()).toBe(head);
  });

  it('gives no key to a process that starts later', async () => {
    await app.get(FirstStart).run(undefined);
    const later = await createApp(
      readSettings({ DATA_DIR: directory.path }),
      pino({ level: 'silent' }),
    );
    expect(await later.get(FirstStart).run(undefined)).toBeNull();
    await later.close();
  });
});
