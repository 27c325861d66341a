import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../src/event-sourcing/sqlite/open-database.js';
import { auditTrail } from '../../src/features/audit-trail/audit-directory/audit-trail.projection.js';
import {
  commandOf,
  createKey,
  eventsOfKey,
  eventTypesOfKey,
  type OneKey,
} from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import type { Answer } from '../support/harness/http-client.js';
import { onlyOn } from '../support/harness/only-on.js';
import { accountOf, accountOfEach, runningApp, startApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { makeWorkspace, restrict } from '../support/harness/workspaces.js';

const service = runningApp();

const UNKNOWN_WORKSPACE = '00000000-0000-4000-8000-000000000000';

describe('moving a key to another workspace', () => {
  const account = accountOfEach(service);

  /** Makes a workspace with the owner as a member. */
  function workspace(...restrictions: string[]): Promise<string> {
    return makeWorkspace(service, account, { restrictions, members: [account.userId] });
  }

  function update(hash: string, body: unknown): Promise<Answer<OneKey>> {
    return account.client.patch<OneKey>(`/v1/keys/${hash}`, body);
  }

  /** Expects a refusal that changes nothing, also of the other fields of the request. */
  async function expectRefused(
    hash: string,
    workspace_id: string,
    status: number,
  ): Promise<ReturnType<typeof errorOf>> {
    const before = await stateOf(service);
    const alone = errorOf(await update(hash, { workspace_id }), status);
    const others = { name: 'not this', disabled: true, limit: 99 };
    expect(errorOf(await update(hash, { ...others, workspace_id }), status)).toEqual(alone);
    expect(await stateOf(service)).toEqual(before);
    return alone;
  }

  it('applies other fields of the request with the move, in one append', async () => {
    const to = await workspace();
    const { data } = await createKey(account.client);
    const changes = { workspace_id: to, name: 'b', disabled: true };
    const answer = await update(data.hash, changes);
    expect(answer).toMatchObject({ status: 200, body: { data: { ...changes, label: 'b' } } });
    const [, ...events] = await eventsOfKey(service, data.hash);
    expect(events).toHaveLength(3);
    expect(new Set(events.map(commandOf)).size).toBe(1);
  });

  it.each(['default', UNKNOWN_WORKSPACE])('to %p, which is none, is refused', async (to) => {
    const { data } = await createKey(account.client);
    const { message, paths } = await expectRefused(data.hash, to, 400);
    expect({ message, paths }).toEqual({ message: 'Unknown workspace', paths: ['workspace_id'] });
  });

  it('to a workspace of another account is refused exactly as to none', async () => {
    const { defaultWorkspaceId: foreign } = await service.openAccount();
    const { data } = await createKey(account.client);
    const theirs = await expectRefused(data.hash, foreign, 400);
    expect(theirs).toEqual(await expectRefused(data.hash, UNKNOWN_WORKSPACE, 400));
  });

  it('may not loosen restrictions: 403 that names every missing one', async () => {
    const from = await workspace('eu-only', 'zero-retention', 'audited');
    const to = await workspace('audited', 'something-else');
    const { data } = await createKey(account.client, { workspace_id: from });
    const { message, metadata } = await expectRefused(data.hash, to, 403);
    expect(message).not.toBe('Only management keys can perform this operation');
    expect(metadata).toEqual({ missing_restrictions: ['eu-only', 'zero-retention'] });
  });

  it('goes by the restrictions as they are now', async () => {
    const from = await workspace();
    const to = await workspace();
    const { data } = await createKey(account.client, { workspace_id: from });
    await restrict(service, account, from, ['eu-only']);
    await expectRefused(data.hash, to, 403);
    await restrict(service, account, to, ['eu-only']);
    expect(await update(data.hash, { workspace_id: to })).toMatchObject({ status: 200 });
  });

  it('goes by the membership of the creator, not of the caller', async () => {
    const ofCaller = await workspace();
    const ofCreator = await makeWorkspace(service, account, { members: ['grace'] });
    const { data } = await createKey(account.client, { creator_user_id: 'grace' });
    await expectRefused(data.hash, ofCaller, 409);
    expect(await update(data.hash, { workspace_id: ofCreator })).toMatchObject({ status: 200 });
  });

  it('to the default workspace asks for no membership', async () => {
    const from = await makeWorkspace(service, account);
    const { data } = await createKey(account.client, {
      creator_user_id: 'a-stranger',
      workspace_id: from,
    });
    const { defaultWorkspaceId: workspace_id } = account;
    expect(await update(data.hash, { workspace_id })).toMatchObject({ status: 200 });
  });

  it('in an individual account asks for no membership, but for restrictions', async () => {
    const individual = await service.openAccount('individual');
    const tight = await makeWorkspace(service, individual, { restrictions: ['eu-only'] });
    const { data } = await createKey(individual.client, { creator_user_id: 'a-stranger' });
    const path = `/v1/keys/${data.hash}`;
    const moved = await individual.client.patch(path, { workspace_id: tight });
    expect(moved).toMatchObject({ status: 200, body: { data: { workspace_id: tight } } });
    const { defaultWorkspaceId: workspace_id } = individual;
    errorOf(await individual.client.patch(path, { workspace_id }), 403);
  });

  it('is checked for shape, then key, then workspace, then restrictions, then membership', async () => {
    const from = await workspace('eu-only');
    const looseAndForeign = await makeWorkspace(service, account);
    const { data } = await createKey(account.client, { workspace_id: from });
    const misshapen = { workspace_id: UNKNOWN_WORKSPACE, limit: '5' };
    errorOf(await update(UNKNOWN_HASH, misshapen), 400);
    errorOf(await update(UNKNOWN_HASH, { workspace_id: UNKNOWN_WORKSPACE }), 404);
    errorOf(await update(data.hash, { workspace_id: UNKNOWN_WORKSPACE }), 400);
    errorOf(await update(data.hash, { workspace_id: looseAndForeign }), 403);
    await restrict(service, account, looseAndForeign, ['eu-only']);
    errorOf(await update(data.hash, { workspace_id: looseAndForeign }), 409);
  });

  it('loses none of several moves at once: each leaves from where the one before it went', async () => {
    const targets = await Promise.all(Array.from({ length: 8 }, () => workspace()));
    const { data } = await createKey(account.client);
    const answers = await Promise.all(
      targets.map((workspace_id) => update(data.hash, { workspace_id })),
    );
    expect(answers.map(({ status }) => status)).toEqual(targets.map(() => 200));
    const [, ...moves] = (await eventsOfKey(service, data.hash)).map(
      (event) => event.data as { workspace_id: string; previous_workspace_id: string },
    );
    const path = [account.defaultWorkspaceId, ...moves.map((move) => move.workspace_id)];
    expect(moves.map((move) => move.previous_workspace_id)).toEqual(path.slice(0, -1));
    expect(path.slice(1).sort()).toEqual([...targets].sort());
  });
});

const embeddedModels = onlyOn(
  'embedded',
  'MongoDB keeps of a removed document the version before, until a rebuild',
);

const NO_HASHES = [
  ...[UNKNOWN_HASH.slice(2), `${UNKNOWN_HASH}0`, UNKNOWN_HASH.toUpperCase()],
  ...['x', '%00', 'all'],
];

describe('a key by its hash', () => {
  const account = accountOf(service);

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
  for (const file of files) {
    const db = openDatabase(join(directory, file), { readonly: true });
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .pluck()
      .all();
    for (const table of tables.filter((name) => !(name in auditTrail.collections)))
      rows.push(db.prepare(`SELECT * FROM "${table}"`).all());
    db.close();
  }
  return JSON.stringify(rows);
}
