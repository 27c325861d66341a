import { expect, it, jest } from '@jest/globals';
import { accountStream } from '../../../src/features/accounts/domain/account.js';
import {
  KEY_COUNT,
  type KeyCount,
} from '../../../src/features/accounts/published/key-count.port.js';
import type { EventLog } from '../../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../../src/event-sourcing/ledger.js';
import type { KeyRecord } from '../../../src/features/keys/key-record.js';
import { keyEvents } from '../../../src/features/keys/domain/key.events.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { type CreatedKey, createKey, type OneKey } from '../../support/harness/api-keys.js';
import { errorOf } from '../../support/harness/error-of.js';
import type { Answer, HttpClient } from '../../support/harness/http-client.js';
import type { TestAccount } from '../../support/harness/running-app.js';
import { deleteWorkspace, workspaceExists } from '../../support/harness/workspace-routes.js';
import { makeWorkspace } from '../../support/harness/workspaces.js';
import { eventsUpToHead } from '../../../src/event-sourcing/event-log/events-up-to-head.js';
import { replicasOnServers } from '../../support/harness/replicas-on-servers.js';

/** One round for each order in which keys and deletions come. */
const ROUNDS = 3;
/**
 * The number of keys of each kind: keys that are created in the workspace, and keys that are moved
 * to it.
 */
const RACERS = 8;
const DELETIONS = 3;
const REPLICAS = 3;
const RESTRICTIONS = ['eu-only'];
const KEY_EVENT_TYPES = new Set<string>(keyEvents.map(({ type }) => type));

interface Round {
  readonly account: TestAccount;
  readonly workspace: string;
  /** Another workspace with the same restrictions. */
  readonly refuge: string;
  /** Keys in the default workspace, which racers move. */
  readonly movable: readonly CreatedKey[];
}

interface Raced {
  readonly created: readonly Answer<CreatedKey>[];
  readonly moved: readonly Answer<OneKey>[];
  readonly deleted: readonly Answer[];
}

describeOnMongoDb('keys that come into a workspace while it is deleted, on replicas', (store) => {
  // A count of keys that waits in vain for the read models is 503, and no part of the race.
  const settings = { RATE_LIMIT_WRITES: 'off', READ_YOUR_WRITES_TIMEOUT: '20s' };
  const servers = replicasOnServers(REPLICAS, store, settings);

  /** Gives a function that gives a client of each replica in turn. */
  function clients(account: TestAccount): () => HttpClient {
    let turn = 0;
    return () => {
      const { client } = servers.replicas[turn++ % servers.replicas.length] ?? servers.first;
      return client.as(account.managementKey);
    };
  }

  async function begin(): Promise<Round> {
    const account = await servers.first.openAccount();
    const members = [account.userId];
    const wanted = { restrictions: RESTRICTIONS, members };
    const workspace = await makeWorkspace(servers.first, account, wanted);
    const refuge = await makeWorkspace(servers.first, account, wanted);
    const movable: CreatedKey[] = [];
    for (let key = 0; key < RACERS; key += 1) movable.push(await createKey(account.client));
    return { account, workspace, refuge, movable };
  }

  /**
   * In a third of the rounds, the keys come after a deletion has counted the keys, and before it is
   * decided. In the other rounds half of the keys come at the same time as the deletion, or before
   * it.
   */
  async function race({ account, workspace, movable }: Round, round: number): Promise<Raced> {
    const next = clients(account);
    const created: Promise<Answer<CreatedKey>>[] = [];
    const moved: Promise<Answer<OneKey>>[] = [];
    const come = (from: number, to: number): void => {
      for (const { data } of movable.slice(from, to)) {
        const body = { name: 'a', workspace_id: workspace };
        created.push(next().post('/v1/keys', body));
        moved.push(next().patch(`/v1/keys/${data.hash}`, body));
      }
    };
    const early = round % 3 === 0 ? 0 : RACERS / 2;
    const decided = new Promise<void>((resolve) => {
      for (const { app } of servers.replicas) {
        const history = app.get<EventLog>(MANAGEMENT.log);
        const append = history.append.bind(history);
        jest.spyOn(history, 'append').mockImplementation((stream, ...rest) => {
          if (stream.startsWith('key-')) resolve();
          return append(stream, ...rest);
        });
      }
    });
    const counted = new Promise<void>((resolve) => {
      for (const { app } of servers.replicas) {
        const keys = app.get<KeyCount>(KEY_COUNT);
        const count = keys.count.bind(keys);
        jest.spyOn(keys, 'count').mockImplementation(async (...workspace) => {
          const held = await count(...workspace);
          resolve();
          if (early === 0) await decided;
          return held;
        });
      }
    });
    come(0, early);
    if (round % 3 === 2) await Promise.race(created);
    const deleted = Array.from({ length: DELETIONS }, () => deleteWorkspace(next(), workspace));
    await counted;
    come(early, RACERS);
    const answers = {
      created: await Promise.all(created),
      moved: await Promise.all(moved),
      deleted: await Promise.all(deleted),
    };
    jest.restoreAllMocks();
    return answers;
  }

  /** Expects that the log holds exactly the changes that were answered with success. */
  async function expectNothingRefused({ account, movable }: Round, raced: Raced): Promise<void> {
    const log = servers.first.app.get<EventLog>(MANAGEMENT.log);
    const events = (await log.readStream(accountStream(account.accountId))).events;
    const ends = events.map(({ type }) => type).filter((type) => type.startsWith('WorkspaceDelet'));
    const done = raced.deleted.filter(({ status }) => status === 200);
    expect(ends).toEqual(done.map(() => 'WorkspaceDeleted'));
    const counts = new Map<string, number>();
    for await (const batch of eventsUpToHead(log, '')) {
      for (const { type, metadata } of batch.events) {
        if (metadata.account_id !== account.accountId || !KEY_EVENT_TYPES.has(type)) continue;
        counts.set(type, (counts.get(type) ?? 0) + 1);
      }
    }
    const created = raced.created.filter(({ status }) => status === 201).length;
    const moved = raced.moved.filter(({ status }) => status === 200).length;
    expect(Object.fromEntries(counts)).toEqual({
      ApiKeyCreated: movable.length + created,
      ...(moved > 0 && { ApiKeyMovedToWorkspace: moved, ApiKeyRenamed: moved }),
    });
  }

  /** Expects every replica to find a key, and to allow its use only while its workspace exists. */
  async function expectInReach(
    { account, workspace }: Round,
    { data: { hash }, key }: { readonly data: KeyRecord; readonly key: string },
    workspaceIsThere: boolean,
  ): Promise<void> {
    for (const replica of servers.replicas) {
      const client = replica.client.as(account.managementKey);
      const record = { hash, workspace_id: workspace, disabled: !workspaceIsThere };
      const { body } = await client.get<OneKey>(`/v1/keys/${hash}`);
      expect(body.data).toMatchObject(record);
      const listed = await client.get<{ data: KeyRecord[] }>('/v1/keys?workspace_id=all');
      expect(listed.body.data).toContainEqual(body.data);
      const asking = await client.as(key).get('/v1/key');
      if (workspaceIsThere) expect(asking).toMatchObject({ status: 200 });
      else expect(errorOf(asking, 401).message).toBe('Key is disabled');
    }
  }

  /**
   * Expects that only a move frees a key whose workspace is gone, and that the move keeps its
   * restrictions.
   */
  async function expectRescued(
    { account, refuge }: Round,
    { data, key }: CreatedKey,
  ): Promise<void> {
    const update = (changes: object): Promise<Answer> =>
      account.client.patch(`/v1/keys/${data.hash}`, changes);
    expect(errorOf(await update({ disabled: false }), 409).reason).toBe('workspace-gone');
    errorOf(await update({ workspace_id: account.defaultWorkspaceId }), 403);
    const record = { disabled: false, workspace_id: refuge };
    const moved = await update({ workspace_id: refuge });
    expect(moved).toMatchObject({ status: 200, body: { data: record } });
    expect(await account.client.as(key).get('/v1/key')).toMatchObject({ status: 200 });
  }

  /** Gives the number of keys that came, by whether the workspace exists afterwards. */
  async function takeRound(number: number): Promise<{ isThere: boolean; arrived: number }> {
    const round = await begin();
    const raced = await race(round, number);
    const isThere = await workspaceExists(round.account.client, round.workspace);
    const deletions = raced.deleted.filter(({ status }) => status === 200);
    expect(deletions).toHaveLength(isThere ? 0 : 1);
    for (const answer of raced.deleted) {
      // A deletion that began before another one took effect may count keys that raced with that
      // one.
      if (answer.status !== 200) errorOf(answer, isThere || answer.status === 409 ? 409 : 404);
    }
    for (const answer of [...raced.created, ...raced.moved]) {
      if (answer.status < 300) continue;
      expect(isThere).toBe(false);
      expect(errorOf(answer, 400).reason).toBe('workspace-unknown');
    }
    await expectNothingRefused(round, raced);
    const strings = new Map(round.movable.map(({ data, key }) => [data.hash, key]));
    const arrived = [
      ...raced.created.filter(({ status }) => status === 201).map(({ body }) => body),
      ...raced.moved
        .filter(({ status }) => status === 200)
        .map(({ body: { data } }) => ({ data, key: strings.get(data.hash) ?? '' })),
    ];
    for (const key of arrived) await expectInReach(round, key, isThere);
    for (const key of isThere ? [] : arrived) await expectRescued(round, key);
    return { isThere, arrived: arrived.length };
  }

  it('are in reach, and usable only when it stays; what is refused leaves no event', async () => {
    const arrived = { gone: 0, there: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const taken = await takeRound(round);
      arrived[taken.isThere ? 'there' : 'gone'] += taken.arrived;
    }
    expect(arrived.gone).toBeGreaterThan(0);
    expect(arrived.there).toBeGreaterThan(0);
  }, 120_000);
});
