import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { type Freshness, FRESHNESS } from '../../src/features/verification/known-keys/freshness.js';
import { SpentSoFar } from '../../src/features/usage/spent-toward-limits/spent-so-far.js';
import { USAGE } from '../../src/event-sourcing/ledger.js';
import { KeyMemory } from '../../src/features/verification/known-keys/key-memory.js';
import { START } from '../../src/kernel/position.js';
import { createKey, type CreatedKey } from '../support/harness/api-keys.js';
import type { Answer } from '../support/harness/http-client.js';
import { accountOf, runningApp } from '../support/harness/running-app.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

/**
 * The answers of the process that made a change, as on a log server: no request looks at the log.
 */
describe('a change that this process made', () => {
  const service = runningApp();
  const account = accountOf(service);
  let created: CreatedKey;

  beforeAll(() => {
    const freshness: Freshness = { eachRequest: false, maxStalenessMs: 600_000 };
    Object.assign(service.app.get<Freshness>(FRESHNESS), freshness);
  });

  beforeEach(async () => {
    created = await createKey(account.client, { limit: 1 });
    expect(await verify()).toMatchObject({ body: { data: { code: 'VALID' } } });
    expect(await about()).toMatchObject({ status: 200 });
    for (const follower of [KeyMemory, SpentSoFar])
      service.app.get<KeyMemory | SpentSoFar>(follower).onApplicationShutdown();
  });

  const about = () => account.client.send('GET', '/v1/key', { key: created.key });
  const verify = (): Promise<Answer> =>
    account.client.post('/v1/keys/verify', { key: created.key });
  const change = (changes: object): Promise<Answer> =>
    account.client.patch(`/v1/keys/${created.data.hash}`, changes);
  const report = (cost: string): Promise<Answer> =>
    account.client.send('PUT', `/v1/usage-reports/${randomUUID()}`, {
      body: { records: [{ key_hash: created.data.hash, cost }] },
    });

  it('of a key is known to every question that follows', async () => {
    await change({ disabled: true });
    expect(await about()).toMatchObject({ status: 401 });
    expect(await verify()).toMatchObject({ body: { data: { code: 'DISABLED' } } });
    await change({ disabled: false });
    expect(await about()).toMatchObject({ status: 200 });
    expect(await verify()).toMatchObject({ body: { data: { code: 'VALID' } } });
  });

  it('of its workspace is known to the next report', async () => {
    const id = await makeWorkspace(service, account, { members: [account.userId] });
    expect(await change({ workspace_id: id })).toMatchObject({ status: 200 });
    await report('0.5');
    const log = service.app.get<EventLog>(USAGE.log);
    const batches = log.follow(START, new AbortController().signal);
    const stored: unknown[] = [];
    for await (const { events, reached } of batches) {
      stored.push(...events.map(({ data }) => data));
      if (reached === (await log.head())) break;
    }
    expect(stored.at(-1)).toMatchObject({ keys: [{ workspace_id: id }] });
  });

  it('of its spending is known to the next verification', async () => {
    await report('0.25');
    expect(await verify()).toMatchObject({ body: { data: { key: { limit_remaining: 0.75 } } } });
    await report('0.75');
    expect(await verify()).toMatchObject({ body: { data: { code: 'LIMIT_EXCEEDED' } } });
  });
});
