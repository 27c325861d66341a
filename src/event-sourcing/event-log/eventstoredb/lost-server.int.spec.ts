import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { itOnSimulator } from '../../../../test/support/backends/it-on-simulator.js';
import { startEventStoreDb } from '../../../../test/support/backends/start-eventstoredb.js';
import type { EventStoreDbServer } from '../../../../test/support/backends/eventstoredb-server.js';
import { event, freshStream } from '../../../../test/contracts/opened-log.js';
import { Unavailable } from '../../../kernel/errors.js';
import { START } from '../../../kernel/position.js';
import { EventStoreDbEventLog } from './eventstoredb-event-log.js';
import { eventsUpToHead } from '../events-up-to-head.js';

const WRITERS = 64;
/** The time between two kills. With less, a writer sees several restarts as one outage. */
const LIFE_MS = 1_000;
/** The deadline and the last attempt before it, with an allowance for a slow machine. */
const IN_TIME_MS = 12_000;

async function idsIn(log: EventStoreDbEventLog, stream: string): Promise<string[]> {
  return (await log.readStream(stream)).events.map(({ id }) => id);
}

describe('a server that is lost', () => {
  let server: EventStoreDbServer;
  let log: EventStoreDbEventLog;

  beforeEach(async () => {
    server = await startEventStoreDb();
    log = new EventStoreDbEventLog(server.connectionString);
  });

  afterEach(async () => {
    await log.close();
    await server.stop();
  });

  itOnSimulator('and killed under 64 writers loses and doubles nothing', async () => {
    let stopped = false;
    const write = async (): Promise<{ stream: string; acknowledged: string[] }> => {
      const stream = freshStream();
      const acknowledged: string[] = [];
      while (!stopped) {
        const one = event();
        const last = acknowledged.length - 1;
        await log.append(stream, [one], last < 0 ? 'no-stream' : last);
        acknowledged.push(one.id);
      }
      return { stream, acknowledged };
    };
    const writers = Promise.all(Array.from({ length: WRITERS }, write));
    for (let round = 0; round < 3; round++) {
      const alive = performance.now();
      const before = await log.head();
      while ((await log.head()) === before || performance.now() - alive < LIFE_MS);
      await server.kill();
      await server.restart();
    }
    stopped = true;
    for (const { stream, acknowledged } of await writers) {
      expect(await idsIn(log, stream)).toEqual(acknowledged);
    }
  });

  itOnSimulator(
    'just before its answer has stored the append once, and says so when asked again',
    async () => {
      const stream = freshStream();
      await log.append(stream, [event()], 'no-stream');
      const failure = { effect: 'fail', failure: 'timeout', committed: true } as const;
      await server.inject({ on: 'append', times: 2, ...failure });
      const events = [event(), event()];
      const { revision, position } = await log.append(stream, events, 0);
      const stored = (await log.readStream(stream, 1)).events;
      expect(stored.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
      expect({ revision, position }).toEqual({ revision: 2, position: stored.at(-1)?.position });
    },
  );

  itOnSimulator(
    'is unavailable within the deadline, and serves again when it is back',
    async () => {
      const stream = freshStream();
      const { position } = await log.append(stream, [event()], 'no-stream');
      await server.kill();
      const began = performance.now();
      await allUnavailable(position);
      expect(performance.now() - began).toBeLessThan(IN_TIME_MS);
      await server.restart();
      expect((await log.readStream(stream)).events).toHaveLength(1);
      expect(await log.head()).toBe(position);
    },
  );

  itOnSimulator(
    'without a word is unavailable within the deadline, and serves again when it wakes',
    async () => {
      const { position } = await log.append(freshStream(), [event()], 'no-stream');
      server.freeze();
      const began = performance.now();
      await allUnavailable(position);
      expect(performance.now() - began).toBeLessThan(IN_TIME_MS);
      server.thaw();
      const later = await log.append(freshStream(), [event()], 'no-stream');
      expect(await log.head()).toBe(later.position);
    },
  );

  itOnSimulator('is waited for while it says that it is not ready', async () => {
    const failure = { effect: 'fail', failure: 'not-ready', times: 3 } as const;
    await server.inject({ on: 'append', ...failure });
    const { position } = await log.append(freshStream(), [event()], 'no-stream');
    await server.inject({ on: 'read', ...failure });
    expect(await log.head()).toBe(position);
  });

  describe('that is not the leader', () => {
    let leader: EventStoreDbServer;
    let there: EventStoreDbEventLog;

    beforeEach(async () => {
      leader = await startEventStoreDb();
      there = new EventStoreDbEventLog(leader.connectionString);
      const { hostname: host, port } = new URL(leader.connectionString.replace('esdb:', 'http:'));
      const redirect = { effect: 'not-leader', host, port: Number(port) } as const;
      for (const on of ['append', 'read', 'subscribe'] as const)
        await server.inject({ on, ...redirect });
    });

    afterEach(async () => {
      await there.close();
      await leader.stop();
    });

    itOnSimulator('is left for it by an append, and all that comes after', async () => {
      const stream = freshStream();
      const one = event();
      const { position } = await log.append(stream, [one], 'no-stream');
      expect(await idsIn(there, stream)).toEqual([one.id]);
      expect(await log.head()).toBe(position);
      for await (const { events } of eventsUpToHead(log, START)) {
        expect(events.map(({ id }) => id)).toEqual([one.id]);
      }
    });

    // Separate tests, because a client that was sent to the leader stays with it.
    itOnSimulator('is left for it by a look at the head', async () => {
      const { position } = await there.append(freshStream(), [event()], 'no-stream');
      expect(await log.head()).toBe(position);
    });

    itOnSimulator('is left for it by a load', async () => {
      const stream = freshStream();
      const one = event();
      await there.append(stream, [one], 'no-stream');
      expect(await idsIn(log, stream)).toEqual([one.id]);
    });

    itOnSimulator('is left for it by who asks for the first event', async () => {
      const { position } = await there.append(freshStream(), [event()], 'no-stream');
      expect(await log.identity()).toMatchObject({ position });
    });
  });

  async function allUnavailable(position: string): Promise<void> {
    const calls = [
      log.append(freshStream(), [event()], 'no-stream'),
      log.readStream(freshStream()),
      log.head(),
      eventsUpToHead(log, position).next(),
    ];
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(reasonOf)).toEqual(calls.map(() => expect.any(Unavailable)));
  }
});

function reasonOf(outcome: PromiseSettledResult<unknown>): unknown {
  return outcome.status === 'rejected' ? outcome.reason : outcome.value;
}
