import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RecordedEvent } from '../../src/event-log/event-log.js';
import { mintKeyString } from '../../src/key-strings/key-string.js';
import { allEndUsers } from '../harness/all-end-users.js';
import type { HttpClient } from '../harness/http-client.js';
import { startService } from '../harness/service-process.js';
import { storedEvents } from '../harness/stored-events.js';
import { makeTempDirectory } from '../harness/temp-directory.js';
import { WriteLoad } from '../harness/write-load.js';

/** More rounds than continuous integration has time for: `CRASH_ROUNDS=100`. */
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 6);
/** Rounds end after different amounts of work, from the very first answer on. */
const writesInRound = (round: number): number => 1 + ((round * 397) % 1_200);

interface KeyAnswer {
  readonly data: { readonly name: string; readonly limit: number };
}

describe('a service killed again and again under load', () => {
  const directory = makeTempDirectory();
  const load = new WriteLoad();
  const settings = {
    DATA_DIR: directory.path,
    BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-'),
    LOG_LEVEL: 'warn',
  };

  /** Starts the service, checks what it has, and kills it in the midst of new writes. */
  async function round(number: number): Promise<void> {
    const service = await startService(settings);
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
    const { users, total } = await allEndUsers(client);
    const found = new Set(users);
    expect(found.size).toBe(users.length);
    expect(total).toBe(users.length);
    expect([...load.acknowledgedUsers].filter((user) => !found.has(user))).toEqual([]);
    expect(users.filter((user) => !load.attemptedUsers.has(user))).toEqual([]);
    for (const { hash, acknowledged, attempted } of load.keys) {
      const path = `/v1/keys/${hash}`;
      const { status, body } = await client.patch<KeyAnswer>(path, { disabled: false });
      expect(status).toBe(200);
      const { name, limit: version } = body.data;
      expect(name).toBe(`v${version}`);
      expect(version).toBeGreaterThanOrEqual(Math.max(...acknowledged));
      expect(version).toBeLessThanOrEqual(attempted);
      // Cut off or not, what was seen once must stay.
      acknowledged.add(version);
    }
  }

  afterAll(() => {
    directory.remove();
  });

  it.each(Array.from({ length: ROUNDS }, (_, number) => number))(
    'starts after %i kills with every acknowledged write, none twice and no half of one',
    round,
  );

  describe('in the end', () => {
    let events: RecordedEvent[];

    beforeAll(async () => {
      const service = await startService(settings);
      await expectEverythingAcknowledged(service.client);
      expect(await service.stop()).toBe(0);
      events = await storedEvents(directory.path);
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
