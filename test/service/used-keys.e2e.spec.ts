import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import type { ReadModels } from '../../src/event-sourcing/projections/read-models.js';
import { UsageDirectory } from '../../src/features/usage/usage-directory/usage-directory.js';
import { USAGE } from '../../src/event-sourcing/ledger.js';
import { createKey, type CreatedKey, type OneKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import type { Answer } from '../support/harness/http-client.js';
import { knownInTime } from '../support/harness/known-in-time.js';
import { accountOfEach, runningApp } from '../support/harness/running-app.js';
import { appendUnreadable } from '../support/harness/unreadable-event.js';

interface Verified {
  readonly data: { readonly code: string; readonly key: { readonly limit_remaining: number } };
}

describe('keys that are used', () => {
  const service = runningApp({ READ_YOUR_WRITES_TIMEOUT: '200ms', VERIFY_MAX_STALENESS: '1s' });
  const account = accountOfEach(service);
  let created: CreatedKey;

  beforeEach(async () => {
    created = await createKey(account.client, { limit: 1, include_byok_in_limit: true });
  });

  let endSilence: () => void;

  /** Lets the log of usage not answer until the end of the test. Then waiting calls go on. */
  function silenceLog(): void {
    const log = service.app.get<EventLog>(USAGE.log);
    const silent = new Promise<never>((_, reject) => {
      endSilence = () => reject(new Error('late'));
    });
    jest.spyOn(log, 'head').mockReturnValue(silent);
  }

  beforeEach(() => {
    endSilence = () => undefined;
  });

  afterEach(() => {
    jest.restoreAllMocks();
    endSilence();
  });

  const report = (...records: object[]) =>
    account.client.send('PUT', `/v1/usage-reports/${randomUUID()}`, { body: { records } });
  const spend = (cost: string, more: object = {}) =>
    report({ key_hash: created.data.hash, cost, ...more });
  const path = (): string => `/v1/keys/${created.data.hash}`;
  const verify = () => account.client.post<Verified>('/v1/keys/verify', { key: created.key });
  const codeNow = async (): Promise<string> => (await verify()).body.data.code;
  const authorize = (query = '') =>
    account.client.send('GET', `/v1/authorize${query}`, {
      key: created.key,
      headers: { 'Keyledger-Authorization': `Bearer ${account.managementKey}` },
    });

  it('show every report that was answered before, in each of their records', async () => {
    await spend('0.25', { byok_cost: '0.5', occurred_at: '2026-11-28T10:00:00Z' });
    const used = { usage: 0.25, byok_usage: 0.5, limit_remaining: 0.25 };
    const listed = await eventually('the list is up to date', async () => {
      const answer = await account.client.get('/v1/keys');
      return answer.headers.get('keyledger-stale') === null && answer;
    });
    expect(listed).toMatchObject({ body: { data: [used] } });
    expect(await account.client.get(path())).toMatchObject({ body: { data: used } });
    const own = await account.client.send('GET', '/v1/key', { key: created.key });
    expect(own).toMatchObject({ body: { data: used } });
    const changed = await account.client.patch(path(), { name: 'used' });
    expect(changed).toMatchObject({ status: 200, body: { data: { ...used, name: 'used' } } });
    expect((await verify()).body.data.key).toMatchObject({ limit_remaining: 0.25 });
    expect((await authorize()).headers.get('keyledger-limit-remaining')).toBe('0.25');
  });

  it('are exceeded at once, and no longer once the limit or what it counts is changed', async () => {
    expect(await codeNow()).toBe('VALID');
    await spend('0.999999999');
    expect(await codeNow()).toBe('VALID');
    expect((await authorize()).headers.get('keyledger-limit-remaining')).toBe('0.000000001');
    await spend('0', { byok_cost: '0.000000001' });
    expect(await codeNow()).toBe('LIMIT_EXCEEDED');
    expect(await authorize()).toMatchObject({ status: 403 });
    await account.client.patch(path(), { include_byok_in_limit: false });
    expect(await codeNow()).toBe('VALID');
    await account.client.patch(path(), { limit: 0.5 });
    expect(await codeNow()).toBe('LIMIT_EXCEEDED');
    await account.client.patch(path(), { limit: null });
    expect(await codeNow()).toBe('VALID');
  });

  it('are never shown or decided about with zeros where the account is parked, and other accounts go on', async () => {
    const other = await service.openAccount();
    const others = await createKey(other.client, { limit: 1 });
    await spend('0.5');
    await appendUnreadable(service.app, 'UsageReported', account.accountId, USAGE.log);
    const parked = await eventually('the account is parked', async () => {
      const answer = await account.client.get(path());
      return answer.status === 503 && answer;
    });
    errorOf(parked, 503);
    errorOf(await account.client.get('/v1/keys'), 503);
    errorOf(await account.client.send('GET', '/v1/key', { key: created.key }), 503);
    errorOf(await verify(), 503);
    errorOf(await authorize(), 503);
    const free = await createKey(account.client, {});
    expect(await account.client.post('/v1/keys/verify', { key: free.key })).toMatchObject({
      body: { data: { code: 'VALID' } },
    });
    expect(await other.client.post('/v1/keys/verify', { key: others.key })).toMatchObject({
      body: { data: { code: 'VALID' } },
    });
    expect(await other.client.get('/v1/keys')).toMatchObject({ status: 200 });
  });

  describe('that may not be used anyway', () => {
    const refused = async (verifying: object = {}): Promise<unknown> => {
      const answer = await account.client.post<Verified>('/v1/keys/verify', {
        key: created.key,
        ...verifying,
      });
      return answer.body.data;
    };

    it.each([
      ['DISABLED', 401, { disabled: true }, ''],
      ['EXPIRED', 401, { name: 'old' }, ''],
      ['WRONG_WORKSPACE', 403, { name: 'here' }, '?workspace_id=nowhere'],
    ])('are refused as %s while usage is out of reach', async (code, status, change, query) => {
      const fields = code === 'EXPIRED' ? { expires_at: '2020-01-01T00:00:00Z' } : {};
      created = await createKey(account.client, { limit: 1, ...fields });
      await account.client.patch(path(), change);
      const asked = query === '' ? {} : { workspace_id: 'nowhere' };
      await spend('0.25');
      expect(await refused(asked)).toMatchObject({ code, key: { limit_remaining: 0.75 } });
      const { app } = service;
      silenceLog();
      const unknown = { code, exceeded: null, key: { limit: 1, limit_remaining: null } };
      // On a log server, memory may be used until it is too old.
      await knownInTime(async () => expect(await refused(asked)).toMatchObject(unknown));
      const directory = jest.spyOn(app.get(UsageDirectory), 'usageOf');
      const answer = await authorize(query);
      expect([answer.status, answer.headers.get('keyledger-code')]).toEqual([status, code]);
      expect(directory).not.toHaveBeenCalled();
    });
  });

  it('are verified with all that they spent while no fold is waited for', async () => {
    await spend('0.25');
    const never = new Promise<never>(() => undefined);
    jest.spyOn(service.app.get<ReadModels>(USAGE.models).wait, 'forWrites').mockReturnValue(never);
    expect((await verify()).body.data.key).toMatchObject({ limit_remaining: 0.75 });
    expect((await authorize()).headers.get('keyledger-limit-remaining')).toBe('0.75');
  });

  it('are changed though usage is out of reach, and the answer says that the change is stored', async () => {
    await appendUnreadable(service.app, 'UsageReported', account.accountId, USAGE.log);
    await eventually('the account is parked', async () => {
      return (await account.client.get(path())).status === 503;
    });
    for (let time = 0; time < 2; time++) {
      const answer = await account.client.patch(path(), { disabled: true });
      expect(errorOf(answer, 503).reason).toBe('stored-usage-unknown');
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(await authorize()).toMatchObject({ status: 401 });
    }
  });

  it('say that their use may be late while the log of usage does not answer', async () => {
    await spend('0.5');
    const known = await account.client.get<OneKey>(path());
    expect(known.headers.get('keyledger-stale')).toBeNull();
    silenceLog();
    const late = (answer: Answer): void => {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('keyledger-stale')).toBe('true');
    };
    late(await account.client.get(path()));
    late(await account.client.get('/v1/keys'));
    late(await account.client.send('GET', '/v1/key', { key: created.key }));
    late(await account.client.patch(path(), { name: 'late' }));
  });
});
