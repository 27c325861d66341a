import { beforeAll, describe, expect, it } from '@jest/globals';
import { createKey, eventTypesOfKey, type OneKey } from '../support/harness/api-keys.js';
import { auditPage } from '../support/harness/audit-events.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import { accountOf, accountOfEach, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

interface KeyPage {
  readonly data: readonly OneKey['data'][];
  readonly total_count: number;
}

const service = runningApp();

const LATER = '2100-01-01T00:00:00Z';
const PAST = '2001-01-01T00:00:00.5Z';

describe('changing the expiry of a key', () => {
  const account = accountOfEach(service);

  const change = (hash: string, body: unknown) =>
    account.client.put<OneKey>(`/v1/keys/${hash}/expiry`, body);

  async function codeOf(key: string): Promise<string> {
    const { body } = await account.client.post<{ data: { code: string } }>('/v1/keys/verify', {
      key,
    });
    return body.data.code;
  }

  it('moves it to any time, or away, and back to life', async () => {
    const { data, key } = await createKey(account.client, { expires_at: PAST });
    expect(await codeOf(key)).toBe('EXPIRED');
    const moved = await change(data.hash, { expires_at: LATER });
    const { updated_at, ...record } = moved.body.data;
    expect(moved.status).toBe(200);
    expect(record).toEqual({ ...without(data), expires_at: '2100-01-01T00:00:00.000Z' });
    expect(updated_at).not.toBeNull();
    expect(await codeOf(key)).toBe('VALID');
    expect((await change(data.hash, { expires_at: null })).body.data.expires_at).toBeNull();
    expect(await codeOf(key)).toBe('VALID');
    expect((await change(data.hash, { expires_at: PAST })).body.data.expires_at).toBe(
      '2001-01-01T00:00:00.500Z',
    );
    expect(await codeOf(key)).toBe('EXPIRED');
    const read = await account.client.get<OneKey>(`/v1/keys/${data.hash}`);
    expect(read.body.data.expires_at).toBe('2001-01-01T00:00:00.500Z');
  });

  it('to the value that it has already writes nothing', async () => {
    const { data } = await createKey(account.client, { expires_at: LATER });
    for (const same of [LATER, '2100-01-01T00:00:00.000Z', '2100-01-01T00:00:00.0009Z']) {
      const answer = await change(data.hash, { expires_at: same });
      expect(answer).toMatchObject({ status: 200, body: { data } });
    }
    expect(await eventTypesOfKey(service, data.hash)).toEqual(['ApiKeyCreated']);
  });

  it('is in the audit trail, with both times', async () => {
    const { data } = await createKey(account.client, { expires_at: LATER });
    await change(data.hash, { expires_at: null });
    const { body } = await auditPage(account.client, 'action=key.expiry-changed');
    expect(body.data).toMatchObject([
      {
        target: { type: 'key', id: data.hash, name: 'a key' },
        changes: [{ field: 'expires_at', before: data.expires_at, after: null }],
      },
    ]);
  });

  it.each([
    [{}, 'expires_at'],
    [{ expires_at: '2100-01-01T00:00Z' }, 'expires_at'],
    [{ expires_at: '2100-02-30T00:00:00Z' }, 'expires_at'],
    [{ expires_at: 0 }, 'expires_at'],
    [{ expires_at: null, disabled: true }, 'disabled'],
    [{ expire_at: null }, 'expire_at,expires_at'],
  ])('refuses %j, naming %s', async (body, paths) => {
    const { data } = await createKey(account.client);
    const before = await stateOf(service);
    expectInvalid(await change(data.hash, body), account, ...paths.split(','));
    expect(await stateOf(service)).toEqual(before);
  });

  it('answers 404 to a hash that is unknown, malformed, deleted or of another account', async () => {
    const foreign = await createKey((await service.openAccount()).client);
    const deleted = await createKey(account.client);
    await account.client.delete(`/v1/keys/${deleted.data.hash}`);
    for (const hash of [UNKNOWN_HASH, 'x', deleted.data.hash, foreign.data.hash]) {
      errorOf(await change(hash, { expires_at: LATER }), 404);
    }
  });

  it('leaves a disabled key disabled', async () => {
    const { data } = await createKey(account.client);
    await account.client.patch(`/v1/keys/${data.hash}`, { disabled: true });
    const answer = await change(data.hash, { expires_at: LATER });
    expect(answer.body.data).toMatchObject({ disabled: true });
  });
});

function without({ updated_at: _, ...record }: OneKey['data']): Omit<OneKey['data'], 'updated_at'> {
  return record;
}

describe('a list of keys by expiry', () => {
  const account = accountOf(service);
  let workspace_id: string;
  /** Hashes of the keys by the order of their creation. */
  const made: string[] = [];

  async function expectFound(query: string, ...expected: readonly number[]): Promise<void> {
    const { status, body } = await account.client.get<KeyPage>(`/v1/keys?${query}`);
    const found = body.data.map(({ hash }) => made.indexOf(hash));
    expect({ query, status, found }).toEqual({ query, status: 200, found: expected });
    if (!query.includes('limit=')) expect(body.total_count).toBe(expected.length);
  }

  beforeAll(async () => {
    workspace_id = await makeWorkspace(service, account);
    for (const fields of [
      { expires_at: '2027-01-03T00:00:00Z' },
      { expires_at: '2027-01-01T00:00:00.001Z', workspace_id },
      {},
      { expires_at: '2027-01-01T00:00:00Z' },
      { expires_at: '2027-01-03T00:00:00Z', workspace_id },
      { expires_at: '2027-01-02T00:00:00Z' },
    ]) {
      made.push((await createKey(account.client, fields)).data.hash);
    }
    await account.client.patch(`/v1/keys/${made[5]}`, { disabled: true });
    await createKey((await service.openAccount()).client, { expires_at: '2027-01-01T00:00:00Z' });
  });

  it.each([
    ['expires_before=2028-01-01T00:00:00Z', [3, 1, 0, 4]],
    ['expires_before=2028-01-01T00:00:00Z&include_disabled=true', [3, 1, 5, 0, 4]],
    ['expires_before=2027-01-03T00:00:00Z', [3, 1]],
    ['expires_before=2027-01-03T00:00:00.001Z&expires_after=2027-01-01T00:00:00.001Z', [1, 0, 4]],
    ['expires_before=2027-01-01T00:00:00.0009Z', []],
    ['expires_before=2027-01-01T00:00:00Z&expires_after=2027-01-01T00:00:00Z', []],
    ['expires_before=2027-01-01T00:00:00Z&expires_after=2028-01-01T00:00:00Z', []],
    ['expires_before=2028-01-01T00:00:00Z&workspace_id=all', [3, 1, 0, 4]],
  ])('has to %s the keys in between, the soonest first', (query, indexes) =>
    expectFound(query, ...indexes),
  );

  it('is of one workspace, if that is named', async () => {
    await expectFound(`expires_before=2028-01-01T00:00:00Z&workspace_id=${workspace_id}`, 1, 4);
  });

  it('has pages, with the exact number of all', async () => {
    const page = 'expires_before=2028-01-01T00:00:00Z&limit=2';
    await expectFound(`${page}&offset=1`, 1, 0);
    await expectFound(`${page}&offset=4`);
    const { body } = await account.client.get<KeyPage>(`/v1/keys?${page}&offset=4`);
    expect(body.total_count).toBe(4);
  });

  it('has a key where its expiry is now, and no longer where it was', async () => {
    const moved = `/v1/keys/${made[2]}`;
    await account.client.put(`${moved}/expiry`, { expires_at: '2020-01-01T00:00:00Z' });
    await expectFound('expires_before=2026-01-01T00:00:00Z', 2);
    await account.client.put(`${moved}/expiry`, { expires_at: '2029-01-01T00:00:00Z' });
    await expectFound('expires_before=2026-01-01T00:00:00Z');
    await account.client.put(`${moved}/expiry`, { expires_at: null });
    await expectFound('expires_before=2099-01-01T00:00:00Z', 3, 1, 0, 4);
  });
});
