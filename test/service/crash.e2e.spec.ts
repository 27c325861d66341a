import { beforeAll, describe, expect, it } from '@jest/globals';
import type { RecordedEvent } from '../../src/event-sourcing/event-log/event-log.js';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { allPages } from '../support/harness/all-pages.js';
import { FORM } from '../support/harness/backends.js';
import type { HttpClient } from '../support/harness/http-client.js';
import type { ServiceProcess } from '../support/harness/service-process.js';
import { stageOfAll } from '../support/harness/stage.js';
import { storedEvents } from '../support/harness/stored-events.js';
import { type KeyUnderLoad, WriteLoad } from '../support/harness/write-load.js';

/** The number of rounds. `CRASH_ROUNDS=100` runs more than continuous integration has time for. */
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 4);
/** A cluster of simulators is slower than the embedded stores. */
const MOST_WRITES = FORM === 'cluster' ? 120 : 600;
/** The deadline of a round with a log server's times, on a machine under load. */
const ROUND_WITHIN_MS = 90_000;
/** Each round ends after another number of writes. The first ends after the first answer. */
const writesInRound = (round: number): number => 1 + ((round * 397) % MOST_WRITES);

const SETTINGS = { BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-'), LOG_LEVEL: 'warn' };

interface EndUser {
  readonly user: string;
  readonly is_active: boolean;
}

interface KeyAnswer {
  readonly data: { readonly name: string; readonly limit: number };
}

describe('a service killed again and again under load', () => {
  const stage = stageOfAll();
  const load = new WriteLoad();

  const start = (): Promise<ServiceProcess> => stage.start(SETTINGS);

  /** Starts the service, checks its data, and kills it during new writes. */
  async function round(number: number): Promise<void> {
    const service = await start();
    try {
      await expectEverythingAcknowledged(service.client);
      let left = writesInRound(number);
      await load.press(service.client, () => {
        if (--left === 0) service.child.kill('SIGKILL');
      });
      expect(load.refusals).toEqual([]);
      await service.ended;
      expect(service.child.signalCode).toBe('SIGKILL');
    } finally {
      await service.stop('SIGKILL');
    }
  }

  async function expectEverythingAcknowledged(client: HttpClient): Promise<void> {
    await expectEndUsers(client);
    for (const key of load.keys) await expectKey(client, key);
    await expectListedKeys(client);
    await expectWorkspaces(client);
  }

  async function expectEndUsers(client: HttpClient): Promise<void> {
    const all = await allPages<EndUser>(client, '/v1/end-users?include_inactive=true');
    const found = new Map(all.items.map(({ user, is_active }) => [user, is_active]));
    expect(found.size).toBe(all.items.length);
    expect(all.total).toBe(all.items.length);
    expect([...load.acknowledgedUsers].filter((user) => !found.has(user))).toEqual([]);
    expect([...found.keys()].filter((user) => !load.attemptedUsers.has(user))).toEqual([]);
    for (const [user, isActive] of found) {
      const end = load.deactivations.get(user) ?? 'none';
      if (end !== 'attempted')
        expect({ user, isActive }).toEqual({ user, isActive: end === 'none' });
      // A state that was visible once must stay, also when its request had no answer.
      else load.deactivations.set(user, isActive ? 'none' : 'acknowledged');
    }
    const active = await allPages<EndUser>(client, '/v1/end-users');
    expect(active.items).toEqual(all.items.filter(({ is_active }) => is_active));
    expect(active.total).toBe(active.items.length);
  }

  async function expectKey(client: HttpClient, key: KeyUnderLoad): Promise<void> {
    const path = `/v1/keys/${key.hash}`;
    const { status, body } = await client.patch<KeyAnswer>(path, { disabled: false });
    if (key.end === 'attempted') key.end = status === 404 ? 'acknowledged' : 'none';
    expect(status).toBe(key.end === 'acknowledged' ? 404 : 200);
    if (status === 404) return;
    const { name, limit: version } = body.data;
    expect(name).toBe(`v${version}`);
    expect(version).toBeGreaterThanOrEqual(Math.max(...key.acknowledged));
    expect(version).toBeLessThanOrEqual(key.attempted);
    key.acknowledged.add(version);
  }

  async function expectListedKeys(client: HttpClient): Promise<void> {
    const { items, total } = await allPages<{ hash: string }>(client, '/v1/keys?workspace_id=all');
    const listed = new Set(items.map(({ hash }) => hash));
    expect(listed.size).toBe(total);
    // A key whose creation had no answer may exist too.
    for (const { hash, end } of load.keys) {
      expect({ hash, isListed: listed.has(hash) }).toEqual({ hash, isListed: end === 'none' });
    }
  }

  async function expectWorkspaces(client: HttpClient): Promise<void> {
    const { items, total } = await allPages<{ slug: string }>(client, '/v1/workspaces');
    const slugs = new Set(items.map(({ slug }) => slug));
    expect(slugs.size).toBe(total);
    for (const [slug, end] of load.workspaces) {
      const isThere = slugs.has(slug);
      if (end !== 'attempted') expect({ slug, isThere }).toEqual({ slug, isThere: end === 'none' });
      else load.workspaces.set(slug, isThere ? 'none' : 'acknowledged');
    }
  }

  it.each(Array.from({ length: ROUNDS }, (_, number) => number))(
    'starts after %i kills with every acknowledged write, none twice and no half of one',
    round,
    ROUND_WITHIN_MS,
  );

  describe('in the end', () => {
    let events: RecordedEvent[];

    beforeAll(async () => {
      const service = await start();
      await expectEverythingAcknowledged(service.client);
      expect(await service.stop()).toBe(0);
      events = await storedEvents(stage.backends.settings);
    });

    it('has in its log each registration once, acknowledged or under way when it was killed', () => {
      const registered = events
        .filter(({ type }) => type === 'EndUserRegistered')
        .map(({ data }) => (data as { user: string }).user);
      const once = new Set(registered);
      expect(registered).toHaveLength(once.size);
      expect([...load.acknowledgedUsers].filter((user) => !once.has(user))).toEqual([]);
      expect(registered.filter((user) => !load.attemptedUsers.has(user))).toEqual([]);
    });

    it('has in its log each key once and each acknowledged change of it once, in order', () => {
      const created = events.filter(({ type }) => type === 'ApiKeyCreated');
      const streams = new Set(created.map(({ stream }) => stream));
      expect(created).toHaveLength(streams.size);
      expect(created.length).toBeGreaterThanOrEqual(load.keys.length);
      expect(created.length).toBeLessThanOrEqual(load.attemptedKeys);
      for (const { hash, acknowledged } of load.keys) {
        const limits = events
          .filter(({ type, stream }) => type === 'ApiKeyLimitChanged' && stream === `key-${hash}`)
          .map(({ data }) => (data as { limit: number }).limit);
        expect([0, ...limits]).toEqual([...acknowledged].sort((a, b) => a - b));
      }
    });

    it('has a log without gaps: revisions count up in every stream, ids are unique', () => {
      const lengths = new Map<string, number>();
      for (const { stream, revision } of events) {
        expect(revision).toBe(lengths.get(stream) ?? 0);
        lengths.set(stream, revision + 1);
      }
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      const positions = events.map(({ position }) => position);
      expect(positions).toEqual([...positions].sort());
    });
  });
});
