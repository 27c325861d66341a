import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditEvent } from '../../../src/features/audit-trail/domain/audit-event.js';
import type { VerificationRecord } from '../../../src/features/verification/verification.fields.js';
import { createKey } from '../../support/harness/api-keys.js';
import { auditEvents } from '../../support/harness/audit-events.js';
import { eventually } from '../../support/harness/eventually.js';
import { sentUntilAnswered } from '../../support/harness/usage-load.js';
import { Cluster } from './cluster.js';
import type { Replica } from './replica.js';

const REPLICAS = 2;
const CONNECTIONS = 32;
const LIMITED_KEYS = 12;
const UNLIMITED_KEYS = 4;
const REGISTERED = ['ada', 'ben', 'cyd'];
const INVENTED = ['zoe', 'yan'];
const USERS = [...REGISTERED, ...INVENTED];
const USER_BUDGET = 20;
const WORKSPACE_BUDGET = 60;
/** One of so many reports is taken back. */
const ONE_TAKEN_BACK_OF = 4;
const KILLS = 2;
const BETWEEN_KILLS_MS = 2_000;
const WRITTEN_WITHIN_MS = 30_000;
const WITHIN_MS = 180_000;
/** A replica that was killed first closes connections, with a request on them or not. */
const ONE_CALL = { headers: { connection: 'close' } };

/** A verification that found a threshold of a limit reached, and the process that answered it. */
interface Seen {
  readonly replica: Replica;
  readonly pid: number;
  readonly reached: string;
}

interface Use {
  readonly hash: string;
  readonly user: string;
  readonly cents: number;
}

interface UsedKey {
  readonly hash: string;
  readonly limit: number | null;
}

describe('limits that are reached while replicas are killed', () => {
  let cluster: Cluster;
  let keys: UsedKey[];
  let workspace: string;
  /** The spending of each key, end user and workspace, without reports taken back, in cents. */
  const spent = new Map<string, number>();
  /** The greatest spending of each of them at any time, in cents. */
  const mostSpent = new Map<string, number>();
  const seen: Seen[] = [];
  let takenBack = 0;
  let isOver = false;

  beforeAll(async () => {
    cluster = await Cluster.start();
    const { client } = cluster.replica(0);
    keys = [];
    for (let made = 0; made < LIMITED_KEYS + UNLIMITED_KEYS; made++) {
      const limit = made < LIMITED_KEYS ? randomInt(1, 20) : null;
      const limit_reset = limit !== null && made % 2 === 0 ? 'monthly' : null;
      const { data } = await createKey(client, { limit, limit_reset });
      keys.push({ hash: data.hash, limit });
      workspace = data.workspace_id;
    }
    await client.put(`/v1/workspaces/${workspace}/budget`, { limit: WORKSPACE_BUDGET });
    await client.put('/v1/end-user-budget', { limit: USER_BUDGET, limit_reset: 'monthly' });
    for (const user of REGISTERED) await client.put(`/v1/end-users/${user}`, {});
  }, WITHIN_MS);

  afterAll(() => cluster.stop());

  const anyReplica = (): Replica => cluster.replica(randomInt(REPLICAS));
  const anyOf = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)] as Item;

  function count(uses: readonly Use[], sign: 1 | -1): void {
    for (const { hash, user, cents } of uses) {
      for (const id of [hash, user, workspace]) {
        const now = (spent.get(id) ?? 0) + sign * cents;
        spent.set(id, now);
        mostSpent.set(id, Math.max(now, mostSpent.get(id) ?? 0));
      }
    }
  }

  async function report(): Promise<void> {
    const uses = Array.from({ length: randomInt(1, 4) }, () => {
      return { hash: anyOf(keys).hash, user: anyOf(USERS), cents: randomInt(30) };
    });
    const records = uses.map(({ hash, user, cents }) => {
      return { key_hash: hash, user, cost: cents / 100 };
    });
    const id = randomUUID();
    const send = (method: string, body?: object): Promise<number> =>
      sentUntilAnswered(() => anyReplica().client, method, id, body, [429, 503]);
    // Replicas may count the report before it is answered, and until the answer to its DELETE.
    count(uses, 1);
    await send('PUT', { records });
    if (randomInt(ONE_TAKEN_BACK_OF) > 0) return;
    await send('DELETE');
    count(uses, -1);
    takenBack += 1;
  }

  async function verify(): Promise<void> {
    const { hash, limit } = anyOf(keys);
    const user = anyOf(USERS);
    const replica = anyReplica();
    const { pid } = replica;
    const answer = await replica.client
      .post<{ data: VerificationRecord }>('/v1/keys/verify', { hash, user }, ONE_CALL)
      .catch(() => undefined);
    if (answer?.status !== 200) return;
    const { key, exceeded } = answer.body.data;
    const see = (id: string, threshold: number) =>
      seen.push({ replica, pid, reached: `${id} ${threshold}` });
    const left = key?.limit_remaining ?? null;
    if (limit !== null && left !== null && left <= limit / 5) see(hash, 80);
    if (exceeded === null) return;
    const id = { key: hash, 'end-user': user, workspace }[exceeded.scope];
    if (id !== undefined && !INVENTED.includes(id)) for (const at of [80, 100]) see(id, at);
  }

  async function untilOver(work: () => Promise<void>): Promise<void> {
    while (!isOver) await work();
  }

  function reachedIn({ target, changes }: AuditEvent): string {
    return `${target.id} ${String(changes[0]?.after)}`;
  }

  it(
    'are each in the audit trail once, none that was not reached, and all that a verification saw',
    async () => {
      const load = Promise.all([
        ...Array.from({ length: CONNECTIONS }, () => untilOver(report)),
        ...Array.from({ length: REPLICAS }, () => untilOver(verify)),
      ]);
      for (let kill = 0; kill < KILLS; kill++) {
        await delay(randomInt(BETWEEN_KILLS_MS));
        const replica = anyReplica();
        await replica.kill();
        replica.launch();
        await replica.ready();
      }
      isOver = true;
      await load;
      const lived = seen.filter(({ replica, pid }) => replica.pid === pid);
      expect(lived.length).toBeGreaterThan(0);
      expect(takenBack).toBeGreaterThan(0);
      const { client } = cluster.replica(0);
      const events = await eventually(
        'what was seen is in the audit trail',
        async () => {
          const found = await auditEvents(client, 'actor=limits&limit=100');
          const told = new Set(found.map(reachedIn));
          return lived.every(({ reached }) => told.has(reached)) && found;
        },
        WRITTEN_WITHIN_MS,
      );
      expect(new Set(events.map(reachedIn)).size).toBe(events.length);
      const kinds = new Set(events.map(({ target }) => target.type));
      expect([...kinds].sort()).toEqual(['end-user', 'key', 'workspace']);
      for (const { target, changes } of events) {
        const { threshold = 0, limit = 0 } = valuesOf(changes);
        // In cents, and in hundredths of cents.
        const most = mostSpent.get(target.id) ?? 0;
        expect(most * 100).toBeGreaterThanOrEqual(threshold * limit * 100);
        expect(INVENTED).not.toContain(target.id);
      }
    },
    WITHIN_MS,
  );
});

function valuesOf(changes: AuditEvent['changes']): Partial<Record<string, number>> {
  return Object.fromEntries(changes.map(({ field, after }) => [field, Number(after)]));
}
