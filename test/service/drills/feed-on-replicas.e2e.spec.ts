import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditEvent } from '../../../src/features/audit-trail/domain/audit-event.js';
import { freePort } from '../../support/backends/server-process.js';
import { errorOf } from '../../support/harness/error-of.js';
import { askFeed, latestCursor, readFeed } from '../../support/harness/event-feed.js';
import { eventually } from '../../support/harness/eventually.js';
import type { HttpClient } from '../../support/harness/http-client.js';
import { Cluster } from './cluster.js';
import { Replica } from './replica.js';

const WRITERS = 4;
const READERS = 3;
/** The number of registrations that are answered between two faults. */
const BETWEEN = 40;
const FROZEN_MS = 2_000;
const PAUSE_MS = 100;
const LOOKS = 10;
const KNOWN_WITHIN_MS = 1_000;
const WITHIN_MS = 180_000;

/** Sets the clock of a process an hour ahead. */
const AHEAD = `data:text/javascript,${encodeURIComponent(`
  const Right = Date;
  globalThis.Date = class extends Right {
    constructor(...given) { given.length > 0 ? super(...given) : super(Right.now() + 3600000); }
    static now() { return Right.now() + 3600000; }
  };
`)}`;

describe('the feed on replicas', () => {
  let cluster: Cluster;
  let replicas: readonly Replica[] = [];

  beforeAll(async () => {
    cluster = await Cluster.start();
    const { BOOTSTRAP_MANAGEMENT_KEY: key } = cluster.settings;
    const settings = { ...cluster.settings, NODE_OPTIONS: `--import=${AHEAD}` };
    const ahead = new Replica('the replica ahead', settings, await freePort(), key);
    ahead.launch();
    await ahead.ready();
    replicas = [...cluster.replicas, ahead];
  }, WITHIN_MS);

  afterAll(async () => {
    await replicas.at(-1)?.kill();
    await cluster.stop();
  });

  const anyClient = (): HttpClient => {
    const replica = replicas[randomInt(replicas.length)];
    if (!replica) throw new Error('there are no replicas');
    return replica.client;
  };

  it(
    'has each event once and in order for readers, over kills, a freeze, a rebuild and other clocks',
    async () => {
      let isOver = false;
      const answered: string[] = [];
      const write = async (): Promise<void> => {
        while (!isOver) {
          const user = randomUUID();
          const sent = await anyClient()
            .post('/v1/end-users', { user })
            .catch(() => undefined);
          if (sent?.status === 201) answered.push(user);
          else await delay(PAUSE_MS);
        }
      };
      let end: string | undefined;
      /** Reads from the beginning until it has all there is. */
      const read = async (seen: AuditEvent[]): Promise<void> => {
        let after = '';
        while (end === undefined || after !== end) {
          const query = `${after && `after=${after}&`}limit=50&wait=2`;
          const answer = await askFeed(anyClient(), query).catch(() => undefined);
          if (answer?.status !== 200) {
            // A cursor is never refused.
            if (answer && answer.status < 500) errorOf(answer, 503);
            await delay(PAUSE_MS);
            continue;
          }
          seen.push(...answer.body.data);
          after = answer.body.next_cursor;
        }
      };
      const seen = Array.from({ length: READERS }, (): AuditEvent[] => []);
      const reading = seen.map(read);
      const writing = Array.from({ length: WRITERS }, write);
      const untilMoreAreAnswered = async (): Promise<void> => {
        const until = answered.length + BETWEEN;
        await eventually('writes are answered', () => answered.length >= until, 60_000);
      };
      await untilMoreAreAnswered();
      const [killed, frozen] = [cluster.replica(0), cluster.replica(1)];
      await killed.kill();
      await untilMoreAreAnswered();
      killed.launch();
      frozen.freeze();
      await delay(FROZEN_MS);
      frozen.thaw();
      await untilMoreAreAnswered();
      await cluster.loseReadModels();
      await untilMoreAreAnswered();
      isOver = true;
      await Promise.all(writing);
      await cluster.ready();
      const all: AuditEvent[] = [];
      for (let after = ''; ;) {
        const query = `limit=1000${after && `&after=${after}`}`;
        const { data, next_cursor, has_more } = await readFeed(cluster.replica(2).client, query);
        all.push(...data);
        after = next_cursor;
        if (!has_more) {
          end = after;
          break;
        }
      }
      await Promise.all(reading);
      const ids = all.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const events of seen) expect(events.map(({ id }) => id)).toEqual(ids);
      const registered = all.map(({ target }) => target.id);
      expect(registered).toEqual(expect.arrayContaining(answered));
      const times = all.map(({ occurred_at }) => occurred_at);
      expect(times).not.toEqual(times.toSorted());
    },
    WITHIN_MS,
  );

  it(
    'has an event within a second for a reader who waits at another replica',
    async () => {
      for (let look = 0; look < LOOKS; look += 1) {
        const { client } = cluster.replica(look);
        const others = cluster.replicas.filter((replica) => replica.client !== client);
        const after = await latestCursor(client);
        const got = others.map(async (other) => {
          const { data } = await readFeed(other.client, `after=${after}&wait=20`);
          return { users: data.map(({ target }) => target.id), at: performance.now() };
        });
        // They wait by now, or find the event when they come.
        await delay(PAUSE_MS);
        const user = randomUUID();
        expect((await client.post('/v1/end-users', { user })).status).toBe(201);
        const answered = performance.now();
        for (const { users, at } of await Promise.all(got)) {
          expect(users).toEqual([user]);
          expect(at - answered).toBeLessThan(KNOWN_WITHIN_MS);
        }
      }
    },
    WITHIN_MS,
  );
});
