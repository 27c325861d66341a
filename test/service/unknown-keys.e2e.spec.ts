import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { CreateManagementKey } from '../../src/features/accounts/accounts.commands.js';
import { KeyReader } from '../../src/features/verification/known-keys/key-reader.js';
import { KEY_FINDER, type KeyFinder } from '../../src/edge/http/callers/bearer-key.js';
import { hashKeyString, mintKeyString } from '../../src/kernel/key-string.js';
import { createKey } from '../support/harness/api-keys.js';
import { eventually } from '../support/harness/eventually.js';
import { type Scrape, scrape } from '../support/harness/exposed-metrics.js';
import { OPERATOR, runningApp } from '../support/harness/running-app.js';

const ROUNDS = 20;
const IN_A_ROUND = 100;
const READ_AT_ONCE = 16;
/** Several times the number of look-ups that run at once. */
const FLOOD = 80;

describe('a storm of invented keys', () => {
  const service = runningApp();

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is answered, and hides no key', async () => {
    const { client } = service;
    const inUse = await createKey(client);
    await client.post('/v1/keys/verify', { key: inUse.key });
    const stormed: unknown[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const storm = Array.from({ length: IN_A_ROUND }, () =>
        client.post('/v1/keys/verify', { key: mintKeyString('sk-v1-') }),
      );
      // A key created during the storm, which is in no memory.
      const created = await createKey(client);
      for (const { key } of [created, inUse])
        expect(await client.post('/v1/keys/verify', { key })).toMatchObject({
          body: { data: { code: 'VALID' } },
        });
      for (const { body } of await Promise.all(storm)) stormed.push(body);
    }
    const nobodys = { data: { valid: false, code: 'NOT_FOUND', key: null, exceeded: null } };
    expect(stormed).toEqual(stormed.map(() => nobodys));
  });
});

describe('a flood of invented keys of gateways', () => {
  const service = runningApp({ TRUSTED_PROXIES: '127.0.0.1' });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('reads 16 keys at once, and takes turns with the look-ups of other addresses', async () => {
    const { accountId, userId } = await service.openAccount();
    const key = mintKeyString('mk-v1-');
    const wanted = { hash: hashKeyString(key), user_id: userId, name: 'not used yet' };
    const { app, client } = service;
    await app.get(CommandBus).execute(new CreateManagementKey(accountId, wanted, OPERATOR));

    const reader = app.get(KeyReader);
    const anyKey = reader.anyKey.bind(reader);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const read: string[] = [];
    jest.spyOn(reader, 'anyKey').mockImplementation(async (hash) => {
      read.push(hash);
      await gate;
      return anyKey(hash);
    });
    const finding = jest.spyOn(app.get<KeyFinder>(KEY_FINDER), 'find');
    const asked = (count: number): Promise<unknown> =>
      eventually(`${count} keys are looked up`, () => finding.mock.calls.length === count);

    const flood = Array.from({ length: FLOOD }, () => {
      const headers = { 'X-Forwarded-For': '192.0.2.1' };
      const invented = `Bearer ${mintKeyString('mk-v1-')}`;
      return client.get('/v1/authorize', {
        headers: { ...headers, 'Keyledger-Authorization': invented },
      });
    });
    await asked(FLOOD);
    const other = client.as(key).get('/v1/keys', { headers: { 'X-Forwarded-For': '192.0.2.2' } });
    await asked(FLOOD + 1);
    await eventually('as many keys are read as may be', () => read.length >= READ_AT_ONCE);
    expect(read).toHaveLength(READ_AT_ONCE);
    open();
    expect(await other).toMatchObject({ status: 200 });
    for (const { status } of await Promise.all(flood)) expect(status).toBe(403);
    expect(read.indexOf(wanted.hash)).toBeLessThan(FLOOD / 2);
  });
});

describe('the metrics of verification', () => {
  const service = runningApp();

  async function added(
    action: () => Promise<unknown>,
    ...counters: readonly (readonly [string, Readonly<Record<string, string>>?])[]
  ): Promise<number[]> {
    const valueIn = (seen: Scrape, [name, labels = {}]: (typeof counters)[number]): number =>
      seen.value(name, labels) ?? NaN;
    const before = await scrape(service.client);
    await action();
    const after = await scrape(service.client);
    return counters.map((counter) => valueIn(after, counter) - valueIn(before, counter));
  }

  it('count answers by code, hits and misses, and refused gateways', async () => {
    const { client } = service;
    const { key } = await createKey(client);
    const verify = (): Promise<unknown> => client.post('/v1/keys/verify', { key });
    const VERIFICATIONS = 'keyledger_verifications_total';
    const LOOK_UPS = 'keyledger_key_look_ups_total';
    const counters = [
      [VERIFICATIONS, { code: 'VALID' }],
      [VERIFICATIONS, { code: 'NOT_FOUND' }],
      [LOOK_UPS, { outcome: 'miss' }],
      [LOOK_UPS, { outcome: 'hit' }],
    ] as const;
    // The management key of the caller is a hit.
    expect(await added(verify, ...counters)).toEqual([1, 0, 1, 1]);
    expect(await added(verify, ...counters)).toEqual([1, 0, 0, 2]);
    const invented = { key: mintKeyString('sk-v1-') };
    const ask = (): Promise<unknown> => client.post('/v1/keys/verify', invented);
    expect(await added(ask, ...counters)).toEqual([0, 1, 1, 1]);
    const anyone = (): Promise<unknown> => client.as(key).get('/v1/authorize');
    expect(await added(anyone, ['keyledger_gateway_refusals_total', { key: 'missing' }])).toEqual([
      1,
    ]);
  });

  it('tell how many keys are in memory, and how old what is known of them is', async () => {
    const seen = await scrape(service.client);
    expect(seen.value('keyledger_known_keys')).toBeGreaterThanOrEqual(1);
    expect(seen.value('keyledger_known_keys_age_seconds')).toBeLessThan(5);
  });
});
