import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { DecisionRunner } from '../../src/event-sourcing/decisions/decision-runner.js';
import { type Ledger, MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import { DeleteKey, DeleteKeyHandler } from '../../src/features/keys/keys.commands.js';
import { CLOCK } from '../../src/kernel/clock.js';
import { hashKeyString } from '../../src/kernel/key-string.js';
import { createKey, type CreatedKey, eventTypesOfKey } from '../support/harness/api-keys.js';
import { auditPage } from '../support/harness/audit-events.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import type { Answer } from '../support/harness/http-client.js';
import { knownInTime } from '../support/harness/known-in-time.js';
import { madeString } from '../support/harness/made-strings.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { accountOfEach, OPERATOR, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';

const service = runningApp();
const DAY_MS = 86_400_000;

interface StringRecord {
  readonly hash: string;
  readonly created_at: string;
  readonly ends_at: string | null;
}

interface Rotated extends CreatedKey {
  readonly string: StringRecord;
}

describe('the strings of a key', () => {
  const account = accountOfEach(service);

  const rotate = (hash: string, body?: unknown): Promise<Answer<Rotated>> =>
    account.client.post<Rotated>(`/v1/keys/${hash}/rotate`, body);
  const put = (hash: string, string: string, grace_seconds = 60): Promise<Answer<Rotated>> =>
    account.client.put<Rotated>(`/v1/keys/${hash}/strings/${string}`, { grace_seconds });
  const end = (hash: string, string: string): Promise<Answer> =>
    account.client.delete(`/v1/keys/${hash}/strings/${string}`);

  async function live(hash: string): Promise<readonly StringRecord[]> {
    const { body } = await account.client.get<{ data: StringRecord[] }>(`/v1/keys/${hash}/strings`);
    return body.data;
  }

  async function codeOf(asked: { readonly key: string } | { readonly hash: string }) {
    const { body } = await account.client.post<{
      data: { code: string; key: { hash: string } | null };
    }>('/v1/keys/verify', asked);
    return [body.data.code, body.data.key?.hash ?? null];
  }

  it('are two after a rotation, and each opens the one key', async () => {
    const { data, key } = await createKey(account.client);
    const before = Date.now();
    const { status, body } = await rotate(data.hash);
    expect(status).toBe(201);
    const { string, ...rest } = body;
    expect(rest.data).toEqual({ ...data, external_user: null });
    expect(string).toMatchObject({ hash: hashKeyString(rest.key), ends_at: null });
    const [first, second] = await live(data.hash);
    expect(second).toEqual(string);
    expect(first).toMatchObject({ hash: data.hash, created_at: data.created_at });
    expect(Date.parse(first?.ends_at ?? '') - before).toBeGreaterThanOrEqual(DAY_MS);
    for (const one of [key, body.key])
      expect(await codeOf({ key: one })).toEqual(['VALID', data.hash]);
    expect(await codeOf({ hash: string.hash })).toEqual(['VALID', data.hash]);
    expect((await account.client.get(`/v1/keys/${string.hash}`)).status).toBe(404);
  });

  it('are two after a rotation whose empty body is sent in chunks', async () => {
    const { data } = await createKey(account.client);
    const lines = [
      `POST /v1/keys/${data.hash}/rotate HTTP/1.1`,
      'Host: a',
      `Authorization: Bearer ${account.managementKey}`,
      'Transfer-Encoding: chunked',
      'Connection: close',
    ];
    const answer = await sendRaw(service.address, `${lines.join('\r\n')}\r\n\r\n0\r\n\r\n`);
    expect(answer.status).toBe(201);
    expect(await live(data.hash)).toHaveLength(2);
  });

  it('of which the others end at once with a grace of 0', async () => {
    const { data, key } = await createKey(account.client);
    const { body } = await rotate(data.hash, { grace_seconds: 0 });
    expect((await live(data.hash)).map(({ hash }) => hash)).toEqual([body.string.hash]);
    await knownInTime(async () => {
      expect(await codeOf({ key })).toEqual(['ROTATED', data.hash]);
      expect(await codeOf({ hash: data.hash })).toEqual(['ROTATED', data.hash]);
    });
    expect(await codeOf({ key: body.key })).toEqual(['VALID', data.hash]);
    expect(errorOf(await account.client.as(key).get('/v1/key'), 401).reason).toBe('key-rotated');
    expect((await account.client.as(key).get('/v1/keys')).status).toBe(403);
    const headers = { 'Keyledger-Authorization': `Bearer ${account.managementKey}` };
    const authorized = await account.client.as(key).get('/v1/authorize', { headers });
    expect(errorOf(authorized, 401).reason).toBe('key-rotated');
    expect(authorized.headers.get('keyledger-code')).toBe('ROTATED');
    const repeated = await account.client.put(`/v1/keys/${data.hash}`, { name: data.name });
    expect(errorOf(repeated, 409).reason).toBe('string-ended');
  });

  it('can be made by the caller, and the same again is 200 with the end that it has', async () => {
    const { data } = await createKey(account.client);
    const made = madeString();
    const { status, body } = await put(data.hash, made.hash);
    expect(status).toBe(201);
    expect(body).not.toHaveProperty('key');
    const before = await stateOf(service);
    expect(await put(data.hash, made.hash)).toMatchObject({ status: 200, body });
    expect(await stateOf(service)).toEqual(before);
    expect(errorOf(await put(data.hash, made.hash, 61), 409).reason).toBe('grace-differs');
    await rotate(data.hash);
    const again = await put(data.hash, made.hash);
    expect(again.status).toBe(200);
    expect(again.body.string).toEqual((await live(data.hash))[1]);
    await end(data.hash, made.hash);
    for (const grace of [60, 61]) {
      expect(errorOf(await put(data.hash, made.hash, grace), 409).reason).toBe('string-ended');
    }
    await knownInTime(async () => {
      expect(await codeOf({ key: made.key })).toEqual(['ROTATED', data.hash]);
    });
  });

  it('that rotate made are repeated by PUT likewise', async () => {
    const { data } = await createKey(account.client);
    const { string } = (await rotate(data.hash, { grace_seconds: 60 })).body;
    expect(await put(data.hash, string.hash)).toMatchObject({ status: 200, body: { string } });
  });

  it('have no hash that anything else has', async () => {
    const { data } = await createKey(account.client);
    const other = await createKey(account.client);
    const { string } = (await rotate(other.data.hash)).body;
    const foreign = await createKey((await service.openAccount()).client);
    const own = hashKeyString(account.managementKey);
    for (const hash of [data.hash, other.data.hash, string.hash, foreign.data.hash, own]) {
      expect(errorOf(await put(data.hash, hash), 409).reason).toBe('hash-used');
    }
    const taken = await account.client.put(`/v1/keys/${string.hash}`, { name: 'a' });
    expect(errorOf(taken, 409).reason).toBe('hash-used');
    expect(await eventTypesOfKey(service, data.hash)).toEqual(['ApiKeyCreated']);
  });

  it('end by DELETE, also again, but for the one without an end', async () => {
    const { data, key } = await createKey(account.client);
    expect(errorOf(await end(data.hash, data.hash), 409).reason).toBe('last-string');
    await rotate(data.hash);
    for (let round = 0; round < 2; round += 1) {
      expect(await end(data.hash, data.hash)).toMatchObject({
        status: 200,
        body: { deleted: true },
      });
    }
    await knownInTime(async () => expect(await codeOf({ key })).toEqual(['ROTATED', data.hash]));
    for (const unknown of [UNKNOWN_HASH, 'malformed', hashKeyString(account.managementKey)]) {
      errorOf(await end(data.hash, unknown), 404);
    }
    errorOf(await end(UNKNOWN_HASH, data.hash), 404);
    expect(await eventTypesOfKey(service, data.hash)).toEqual([
      'ApiKeyCreated',
      'ApiKeyStringAdded',
      'ApiKeyStringEnded',
    ]);
  });

  it('reserve nothing when another process has deleted the key', async () => {
    const { data } = await createKey(account.client);
    await rotate(data.hash);
    const { log, registry } = service.app.get<Ledger>(MANAGEMENT.ledger);
    const elsewhere = new DecisionRunner(log, registry, service.app.get(CLOCK));
    const deletion = new DeleteKey(account.accountId, data.hash, OPERATOR);
    await new DeleteKeyHandler(elsewhere).execute(deletion);
    const { hash } = madeString();
    errorOf(await put(data.hash, hash), 404);
    const { client } = await service.openAccount();
    expect(await client.put(`/v1/keys/${hash}`, { name: 'A' })).toMatchObject({ status: 201 });
  });

  it('are 404 of a key of another account, and all end with the key', async () => {
    const { data } = await createKey(account.client);
    const { body } = await rotate(data.hash);
    const { client } = await service.openAccount();
    errorOf(await client.post(`/v1/keys/${data.hash}/rotate`, {}), 404);
    errorOf(await client.get(`/v1/keys/${data.hash}/strings`), 404);
    const stolen = `/v1/keys/${data.hash}/strings/${madeString().hash}`;
    errorOf(await client.put(stolen, { grace_seconds: 0 }), 404);
    errorOf(await client.delete(`/v1/keys/${data.hash}/strings/${data.hash}`), 404);
    await account.client.delete(`/v1/keys/${data.hash}`);
    errorOf(await account.client.get(`/v1/keys/${data.hash}/strings`), 404);
    errorOf(await rotate(data.hash), 404);
    await knownInTime(async () => {
      expect(await codeOf({ key: body.key })).toEqual(['NOT_FOUND', null]);
    });
  });

  it('refuse a grace of the wrong form, unknown fields and what is no hash to store', async () => {
    const { data } = await createKey(account.client);
    for (const grace_seconds of [-1, 1.5, 2_592_001, '1', true]) {
      expectInvalid(await rotate(data.hash, { grace_seconds }), account, 'grace_seconds');
    }
    expectInvalid(await rotate(data.hash, { grace: 1 }), account, 'grace');
    const string = `/v1/keys/${data.hash}/strings`;
    const bodies = [{}, { grace_seconds: null }];
    for (const body of bodies) {
      const answer = await account.client.put(`${string}/${madeString().hash}`, body);
      expectInvalid(answer, account, 'grace_seconds');
    }
    for (const wrong of ['malformed', madeString().key.slice(-64)]) {
      const answer = await account.client.put(`${string}/${wrong}`, { grace_seconds: 0 });
      expectInvalid(answer, account, 'string_hash');
      expect(answer.text).not.toContain(wrong);
    }
    expect(await eventTypesOfKey(service, data.hash)).toEqual(['ApiKeyCreated']);
  });

  it('spend one budget, and any of them names the key in a usage report', async () => {
    const { data, key } = await createKey(account.client, { limit: 3 });
    const { body } = await rotate(data.hash);
    const records = [
      { key_hash: data.hash, cost: 1 },
      { key_hash: body.string.hash, cost: 2 },
      { key_hash: UNKNOWN_HASH, cost: 4 },
    ];
    const report = await account.client.put(`/v1/usage-reports/${randomUUID()}`, { records });
    expect(report.body).toMatchObject({ data: { accepted: 3, unattributed: [UNKNOWN_HASH] } });
    const read = await account.client.get(`/v1/keys/${data.hash}`);
    expect(read.body).toMatchObject({ data: { usage: 3, limit_remaining: 0 } });
    await knownInTime(async () => {
      for (const one of [key, body.key]) {
        expect(await codeOf({ key: one })).toEqual(['LIMIT_EXCEEDED', data.hash]);
      }
    });
  });

  it('tell their holder and introspection when they end', async () => {
    const { data, key } = await createKey(account.client, { expires_at: '2100-01-01T00:00:00Z' });
    const { body } = await rotate(data.hash, { grace_seconds: 60 });
    const [first] = await live(data.hash);
    const current = async (one: string): Promise<unknown> =>
      (await account.client.as(one).get<{ data: object }>('/v1/key')).body.data;
    expect(await current(key)).toMatchObject({ hash: data.hash, string_ends_at: first?.ends_at });
    expect(await current(body.key)).toMatchObject({ hash: data.hash, string_ends_at: null });
    expect(await current(account.managementKey)).toMatchObject({ string_ends_at: null });
    const introspected = async (token: string): Promise<unknown> => {
      const form = Buffer.from(`token=${token}`);
      return (await account.client.post('/v1/oauth/introspect', form)).body;
    };
    const seconds = (time: string | null = null): number =>
      Math.floor(Date.parse(time ?? '2100-01-01T00:00:00Z') / 1_000);
    expect(await introspected(key)).toMatchObject({
      sub: data.hash,
      iat: seconds(data.created_at),
      exp: seconds(first?.ends_at),
    });
    expect(await introspected(body.key)).toMatchObject({
      sub: data.hash,
      iat: seconds(body.string.created_at),
      exp: seconds(),
    });
  });

  it('are in the audit trail, and their reservations are not', async () => {
    const { data } = await createKey(account.client);
    const { string } = (await rotate(data.hash, { grace_seconds: 0 })).body;
    const { body } = await auditPage(account.client, `target_type=key&target_id=${data.hash}`);
    expect(body.data.map(({ action }) => action)).toEqual(['key.rotated', 'key.created']);
    expect(body.data[0]?.changes).toEqual([
      { field: 'string', before: null, after: string.hash },
      { field: 'others_end_at', before: null, after: string.created_at },
    ]);
  });
});
