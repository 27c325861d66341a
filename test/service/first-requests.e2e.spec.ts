import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accountStream } from '../../src/features/accounts/domain/account.js';
import { EVENT_LOG, type EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { keyStream } from '../../src/features/keys/domain/key.js';
import { createKey } from '../support/harness/api-keys.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { startApp, type StartedApp, type TestAccount } from '../support/harness/running-app.js';

const CHANGES = 40;
const AT_ONCE = 50;

describe('the first requests after a start', () => {
  let backends: Backends;
  let service: StartedApp;
  let account: TestAccount;

  beforeEach(async () => {
    backends = await freshBackends();
    service = await startApp(backends.settings);
    // The start loads the state of the first account, so the test uses another one.
    account = await service.openAccount();
  });

  afterEach(async () => {
    await service.stop();
    await backends.dispose();
  });

  /** Restarts the service. Gives a function that lists the streams read from their first event since. */
  async function afterStart(): Promise<() => string[]> {
    await service.stop();
    service = await startApp(backends.settings);
    const reads = jest.spyOn(service.app.get<EventLog>(EVENT_LOG), 'readStream');
    return () => reads.mock.calls.filter(([, from = 0]) => from === 0).map(([stream]) => stream);
  }

  it('of one account load it once', async () => {
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
    expect(begun()).toEqual([accountStream(account.accountId)]);
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
    expect(begun().sort()).toEqual([accountStream(account.accountId), keyStream(data.hash)].sort());
  });
});
