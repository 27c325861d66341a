import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { auditTrail } from '../../src/features/audit-trail/audit-directory/audit-trail.projection.js';
import { openDatabase } from '../../src/event-sourcing/sqlite/open-database.js';
import {
  createKey,
  eventsOfKey,
  eventTypesOfKey,
  type OneKey,
} from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import { onlyOn } from '../support/harness/only-on.js';
import { runningApp, startApp, type TestAccount } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

const embeddedModels = onlyOn(
  'embedded',
  'MongoDB keeps of a removed document the version before, until a rebuild',
);

const NO_HASHES = [
  ...[UNKNOWN_HASH.slice(2), `${UNKNOWN_HASH}0`, UNKNOWN_HASH.toUpperCase()],
  ...['x', '%00', 'all'],
];

describe('a key by its hash', () => {
  const service = runningApp();
  let account: TestAccount;

  beforeAll(async () => {
    account = await service.openAccount();
  });

  it('is read as it is now, with its position in the log', async () => {
    const { data } = await createKey(account.client, { limit: 4, external: { user: 'ada' } });
    const path = `/v1/keys/${data.hash}`;
    const read = await account.client.get(path);
    expect(read).toMatchObject({
      status: 200,
      body: { data: { ...data, external_user: { user: 'ada' } } },
    });
    const { body } = await account.client.patch<OneKey>(path, { name: 'b', disabled: true });
    expect((await account.client.get(path)).body).toEqual(body);
  });

  it.each([{ expires_at: '2001-01-01T00:00:00Z' }, { limit: 0 }])(
    'is read also when it is of no use: %j',
    async (fields) => {
      const { data } = await createKey(account.client, fields);
      const { body } = await account.client.get(`/v1/keys/${data.hash}`);
      expect(body).toEqual({ data });
    },
  );

  it.each(NO_HASHES)('is 404 to read and to delete when it is %s', async (text) => {
    errorOf(await account.client.get(`/v1/keys/${text}`), 404);
    errorOf(await account.client.delete(`/v1/keys/${text}`), 404);
  });

  it('of another account is answered as one that never was, and stays', async () => {
    const other = await service.openAccount();
    const { data } = await createKey(other.client);
    const before = await stateOf(service);
    for (const hash of [data.hash, UNKNOWN_HASH]) {
      for (const method of ['GET', 'DELETE']) {
        const headers = { 'X-Request-Id': 'the same' };
        const answer = await account.client.send(method, `/v1/keys/${hash}`, { headers });
        errorOf(answer, 404);
        const unknown = await account.client.send(method, `/v1/keys/${'cd'.repeat(32)}`, {
          headers,
        });
        expect(answer.text).toBe(unknown.text);
      }
    }
    expect(await stateOf(service)).toEqual(before);
    expect(await other.client.get(`/v1/keys/${data.hash}`)).toMatchObject({ status: 200 });
  });

  it('is deleted for good: from then on nothing finds it', async () => {
    const own = await service.openAccount();
    const { data, key } = await createKey(own.client);
    const path = `/v1/keys/${data.hash}`;
    const deleted = await own.client.delete(path);
    expect(deleted).toMatchObject({ status: 200, body: { deleted: true } });
    errorOf(await own.client.as(key).get('/v1/key'), 401);
    errorOf(await own.client.as(key).get('/v1/keys'), 401);
    errorOf(await own.client.get(path), 404);
    errorOf(await own.client.patch(path, { name: 'again' }), 404);
    errorOf(await own.client.delete(path), 404);
    for (const query of ['', '?workspace_id=all', '?include_disabled=true']) {
      const { body } = await own.client.get(`/v1/keys${query}`);
      expect(body).toEqual({ data: [], total_count: 0 });
    }
    expect(await eventTypesOfKey(service, data.hash)).toEqual(['ApiKeyCreated', 'ApiKeyDeleted']);
  });

  it('is deleted by the caller, in the caller’s account', async () => {
    const { data } = await createKey(account.client);
    const headers = { 'X-Request-Id': 'who deleted it' };
    await account.client.delete(`/v1/keys/${data.hash}`, { headers });
    const events = await eventsOfKey(service, data.hash);
    expect(events.at(-1)).toMatchObject({
      type: 'ApiKeyDeleted',
      version: 1,
      data: { hash: data.hash },
      metadata: {
        account_id: account.accountId,
        request_id: 'who deleted it',
        actor: { type: 'management-key', user_id: account.userId },
      },
    });
  });

  it('leaves its string as unknown as one that never was', async () => {
    const { data, key } = await createKey(account.client);
    await account.client.delete(`/v1/keys/${data.hash}`);
    for (const path of ['/v1/key', '/v1/keys', '/v1/end-users']) {
      const headers = { 'X-Request-Id': 'the same' };
      const answer = await service.client.as(key).get(path, { headers });
      const unknown = await service.client.as(mintKeyString('sk-v1-')).get(path, { headers });
      expect(answer).toMatchObject({ status: 401, text: unknown.text });
    }
  });

  it('is deleted when it is disabled, expired or moved', async () => {
    const own = await service.openAccount('individual');
    const workspace_id = await makeWorkspace(service, own);
    const { data } = await createKey(own.client, { expires_at: '2001-01-01T00:00:00Z' });
    const path = `/v1/keys/${data.hash}`;
    await own.client.patch(path, { disabled: true, workspace_id });
    expect(await own.client.delete(path)).toMatchObject({ status: 200 });
    const { body } = await own.client.get('/v1/keys?workspace_id=all&include_disabled=true');
    expect(body).toEqual({ data: [], total_count: 0 });
  });
});

embeddedModels.describe('what a deleted key leaves', () => {
  it('is in no document of a read model but those of the audit trail', async () => {
    const service = await startApp();
    const kept = await createKey(service.client, { name: 'kept' });
    const gone = await createKey(service.client, { name: 'gone', external: { user: 'gone-too' } });
    await service.client.patch(`/v1/keys/${gone.data.hash}`, { disabled: true });
    await service.client.delete(`/v1/keys/${gone.data.hash}`);
    await stateOf(service);
    try {
      const documents = documentsOf(join(service.backends.dataDir, 'read-models'));
      expect(documents).toContain(kept.data.hash);
      expect(documents).not.toContain(gone.data.hash);
      expect(documents).not.toContain('gone');
    } finally {
      await service.stop();
    }
  });
});

/** Gives every row of every database in a directory, without the audit trail. */
function documentsOf(directory: string): string {
  const rows: unknown[] = [];
  const files = readdirSync(directory).filter((name) => name.endsWith('.db'));
  for (const file of files.filter((name) => !name.includes(`.${auditTrail.name}.`))) {
    const db = openDatabase(join(directory, file), { readonly: true });
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .pluck()
      .all();
    for (const table of tables) rows.push(db.prepare(`SELECT * FROM "${table}"`).all());
    db.close();
  }
  return JSON.stringify(rows);
}
