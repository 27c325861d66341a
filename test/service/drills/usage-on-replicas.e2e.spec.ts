import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpClient } from '../../support/harness/http-client.js';
import { eventually } from '../../support/harness/eventually.js';
import { LOAD_USERS, UsageLoad } from '../../support/harness/usage-load.js';
import {
  COMMON,
  expectSameUsage,
  type ModelKey,
  modelKey,
  type ModelSubject,
} from '../../support/harness/usage-model.js';
import { RESETS } from '../../support/harness/usage-steps.js';
import { createWorkspace } from '../../support/harness/workspace-routes.js';
import { Cluster } from './cluster.js';
import type { Replica } from './replica.js';

const CONNECTIONS = 8;
/** The number of reports that are answered between two faults. */
const BETWEEN = 25;
const FROZEN_MS = 2_000;
const KNOWN_WITHIN_MS = 1_000;
const LOOKS = 10;
const WITHIN_MS = 120_000;
/** The number of times that all budgets are set anew when the load is over. */
const TURNS = 4;
const LIMITS = ['0', '5', '50', '200', '500', '2000', '1000000'];

interface Budgeted {
  readonly path: string;
  readonly subject: ModelSubject;
}

describe('usage reported to replicas', () => {
  let cluster: Cluster;
  let keys: ModelKey[];
  let load: UsageLoad;
  let workspaces: string[];
  let budgeted: Budgeted[];

  beforeAll(async () => {
    cluster = await Cluster.start();
    const { client } = cluster.replica(0);
    keys = [];
    for (const reset of RESETS) {
      keys.push(await modelKey(client, '1000', reset, reset === 'weekly' ? 'ada' : null));
    }
    const { id, created_by } = await createWorkspace(client);
    await client.post(`/v1/workspaces/${id}/members/add`, { user_ids: [created_by] });
    workspaces = [keys[0]?.workspace ?? '', id];
    for (const user of LOAD_USERS) await client.put(`/v1/end-users/${user}`, undefined);
    budgeted = [
      ...workspaces.map((workspace) => ({
        path: `/v1/workspaces/${workspace}/budget`,
        subject: { workspace },
      })),
      ...LOAD_USERS.map((user) => ({ path: `/v1/end-users/${user}/budget`, subject: { user } })),
    ];
    load = new UsageLoad(keys, () => {
      const first = randomInt(cluster.replicas.length);
      return [cluster.replica(first).client, cluster.replica(first + randomInt(2)).client];
    });
  }, WITHIN_MS);

  afterAll(async () => {
    await load.stop();
    await cluster.stop();
  });

  const anyClient = (): HttpClient => cluster.replica(randomInt(cluster.replicas.length)).client;
  const oneOf = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)] as Item;

  /** Gives each subject, and the users without a budget, another budget or none. */
  async function setBudgets(): Promise<void> {
    for (const { path, subject } of [
      ...budgeted,
      { path: '/v1/end-user-budget', subject: COMMON },
    ]) {
      if (randomInt(4) === 0) {
        expect([200, 404]).toContain((await anyClient().delete(path)).status);
        load.model.setBudget(subject, null);
        continue;
      }
      const budget = { limit: oneOf(LIMITS), reset: oneOf(RESETS), byok: randomInt(2) === 0 };
      const set = await anyClient().put(path, {
        limit: Number(budget.limit),
        limit_reset: budget.reset,
        include_byok_in_limit: budget.byok,
      });
      expect([200, 201]).toContain(set.status);
      load.model.setBudget(subject, budget);
    }
  }

  /** Moves every key to the other workspace, while nothing is reported. */
  async function moveKeys(): Promise<void> {
    await load.stop();
    for (const key of keys) {
      key.workspace = workspaces.find((id) => id !== key.workspace) ?? '';
      const moved = await anyClient().patch(`/v1/keys/${key.hash}`, {
        workspace_id: key.workspace,
      });
      expect(moved.status).toBe(200);
    }
    await untilDecidedAsRecounted();
    load.start(CONNECTIONS);
  }

  /** Expects each replica to decide as the model does, a second from now at the latest. */
  async function untilDecidedAsRecounted(): Promise<void> {
    const known = performance.now();
    const asked = keys.flatMap((key) => [...LOAD_USERS, null].map((user) => ({ key, user })));
    const decide = (client: HttpClient): Promise<unknown> =>
      Promise.all(
        asked.map(async ({ key: { hash }, user }) => {
          const { body } = await client.post<Verified>('/v1/keys/verify', { hash, user });
          return body.data;
        }),
      );
    const isRight = async ({ client }: Replica): Promise<boolean> => {
      const begun = performance.now();
      const decided = await decide(client);
      const now = Date.now();
      const right = asked.map(({ key, user }) => load.model.verification(key, user, now));
      const places = asked.map(({ key: { workspace } }) => ({ key: { workspace_id: workspace } }));
      try {
        expect(decided).toMatchObject(right);
        expect(decided).toMatchObject(places);
        return true;
      } catch (error) {
        if (begun - known < KNOWN_WITHIN_MS) return false;
        throw error;
      }
    };
    await Promise.all(
      cluster.replicas.map((replica) =>
        eventually('it decides as the model does', () => isRight(replica)),
      ),
    );
  }

  /**
   * Every window of a workspace and of an end user is that of a budget that is reset so. Leaves
   * them without budgets.
   */
  async function expectSameWindows(): Promise<void> {
    for (const { path, subject } of budgeted) {
      for (const limit_reset of RESETS) {
        const { status, body } = await anyClient().put(path, { limit: 1, limit_reset });
        expect([200, 201]).toContain(status);
        const data = load.model.spentIn(limit_reset, subject, Date.now());
        expect({ path, limit_reset, body }).toMatchObject({ body: { data } });
      }
      expect((await anyClient().delete(path)).status).toBe(200);
      load.model.setBudget(subject, null);
    }
    await untilDecidedAsRecounted();
  }

  async function untilMoreAreAnswered(): Promise<void> {
    const until = load.answered + BETWEEN;
    await eventually('reports are answered', () => load.answered >= until, 30_000);
  }

  it(
    'is counted once, also when two get a report at once and replicas are killed and frozen',
    async () => {
      await setBudgets();
      load.start(CONNECTIONS);
      await untilMoreAreAnswered();
      await moveKeys();
      await untilMoreAreAnswered();
      const [killed, frozen] = [cluster.replica(0), cluster.replica(1)];
      await killed.kill();
      killed.launch();
      frozen.freeze();
      await delay(FROZEN_MS);
      frozen.thaw();
      await cluster.ready();
      await untilMoreAreAnswered();
      await moveKeys();
      await untilMoreAreAnswered();
      await load.stop();
      for (let turn = 0; turn < TURNS; turn += 1) {
        await untilDecidedAsRecounted();
        await setBudgets();
      }
      await untilDecidedAsRecounted();
      for (const { client } of cluster.replicas) {
        await expectSameUsage(client, load.model, keys, Date.now());
      }
      await expectSameWindows();
    },
    WITHIN_MS,
  );

  it(
    'is known to every replica within a second, and read by a record at once',
    async () => {
      for (let look = 0; look < LOOKS; look += 1) {
        const { client } = cluster.replica(look);
        const { hash } = await modelKey(client, '1', null);
        const others = cluster.replicas.map((replica) => replica.client);
        const ask = async (other: HttpClient): Promise<unknown> => {
          const { body } = await other.post<Verified>('/v1/keys/verify', { hash });
          return body.data.code;
        };
        for (const other of others) expect(await ask(other)).toBe('VALID');
        const body = { records: [{ key_hash: hash, cost: 1 }] };
        const sent = await client.send('PUT', `/v1/usage-reports/${randomUUID()}`, { body });
        expect(sent.status).toBe(201);
        const answered = performance.now();
        const isKnown = async (other: HttpClient): Promise<boolean> => {
          const begun = performance.now();
          const code = await ask(other);
          if (code !== 'LIMIT_EXCEEDED') expect(begun - answered).toBeLessThan(KNOWN_WITHIN_MS);
          return code === 'LIMIT_EXCEEDED';
        };
        await Promise.all(
          others.map(async (other) => {
            const read = await other.get(`/v1/keys/${hash}`);
            expect(read).toMatchObject({ body: { data: { usage: 1, limit_remaining: 0 } } });
            await eventually('the limit is known to be exceeded', () => isKnown(other));
          }),
        );
      }
    },
    WITHIN_MS,
  );
});

interface Verified {
  readonly data: { readonly code: string };
}
