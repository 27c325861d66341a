import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino } from 'pino';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import { accountStream } from '../../src/features/accounts/domain/account.js';
import { FirstStart } from '../../src/features/accounts/first-start/first-start.js';
import { keyStream } from '../../src/features/keys/domain/key.js';
import { createApp } from '../../src/host/assembly/application.js';
import { readSettings } from '../../src/host/settings/settings.js';
import { Unavailable } from '../../src/kernel/errors.js';
import { hashKeyString } from '../../src/kernel/key-string.js';
import { START } from '../../src/kernel/position.js';
import { createKey } from '../support/harness/api-keys.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { startApp, type StartedApp, type TestAccount } from '../support/harness/running-app.js';
import { directoryOfEach } from '../support/harness/stage.js';

const CHANGES = 40;
const AT_ONCE = 50;

describe('the first requests after a start', () => {
  let backends: Backends;
  let service: StartedApp;
  let account: TestAccount;
  /** The stream that says whose the string of the management key is. */
  let managementKeyStream: string;

  beforeEach(async () => {
    backends = await freshBackends();
    service = await startApp(backends.settings);
    // The start loads the state of the first account, so the test uses another one.
    account = await service.openAccount();
    managementKeyStream = keyStream(hashKeyString(account.managementKey));
  });

  afterEach(async () => {
    await service.stop();
    await backends.dispose();
  });

  /**
   * Restarts the service. Gives a function that lists the streams read from their first event
   * since.
   */
  async function afterStart(): Promise<() => string[]> {
    await service.stop();
    service = await startApp(backends.settings);
    const reads = jest.spyOn(service.app.get<EventLog>(MANAGEMENT.log), 'readStream');
    return () => reads.mock.calls.filter(([, from = 0]) => from === 0).map(([stream]) => stream);
  }

  it('of one account load it once, and the string of the key that they are made with', async () => {
    for (let change = 0; change < CHANGES; change += 1) {
      const description = `change ${change}`;
      await account.client.patch('/v1/workspaces/default', { description });
    }
    const begun = await afterStart();
    const client = service.client.as(account.managementKey);
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => client.get('/v1/end-users?limit=1')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(begun()).toEqual([managementKeyStream, accountStream(account.accountId)]);
  });

  it('of one key load it once', async () => {
    const { data, key } = await createKey(account.client);
    for (let change = 0; change < CHANGES; change += 1) {
      await account.client.patch(`/v1/keys/${data.hash}`, { name: `change ${change}` });
    }
    const begun = await afterStart();
    const client = service.client.as(key);
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => client.get('/v1/key')));
    for (const { body } of answers) {
      expect(body).toMatchObject({ data: { label: `change ${CHANGES - 1}` } });
    }
    expect(begun().filter((stream) => stream === keyStream(data.hash))).toHaveLength(1);
  });

  it('that change something load its account and the key once, and take every change', async () => {
    const { data } = await createKey(account.client);
    const begun = await afterStart();
    const client = service.client.as(account.managementKey);
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, number) =>
        client.patch(`/v1/keys/${data.hash}`, { name: `change ${number}` }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const loaded = [managementKeyStream, accountStream(account.accountId), keyStream(data.hash)];
    expect(begun().sort()).toEqual(loaded.sort());
  });
});

const GONE = new Unavailable('event log', new Error('gone'));

describe('the first start on a log that fails in between', () => {
  const directory = directoryOfEach();
  let app: NestExpressApplication;
  let log: EventLog;

  beforeEach(async () => {
    const settings = readSettings({ DATA_DIR: directory.path });
    app = await createApp(settings, pino({ level: 'silent' }));
    log = app.get<EventLog>(MANAGEMENT.log);
  });

  afterEach(async () => {
    await app.close();
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
