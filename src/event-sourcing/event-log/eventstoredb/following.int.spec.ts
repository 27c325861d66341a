import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { itOnSimulator } from '../../../../test/support/backends/it-on-simulator.js';
import { startEventStoreDb } from '../../../../test/support/backends/start-eventstoredb.js';
import type { EventStoreDbServer } from '../../../../test/support/backends/eventstoredb-server.js';
import { event, freshStream } from '../../../../test/contracts/opened-log.js';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { type Position, START } from '../../../kernel/position.js';
import { EventStoreDbEventLog } from './eventstoredb-event-log.js';
import { eventsUpToHead } from '../events-up-to-head.js';

const MANY = 300;
const AT_ONCE = 10;
/** The server allows no more calls on one connection. Further calls wait for the end of one. */
const CALLS_OF_A_CONNECTION = 100;

describe('following EventStoreDB', () => {
  let server: EventStoreDbServer;
  let log: EventStoreDbEventLog;
  let abort: AbortController;

  beforeEach(async () => {
    server = await startEventStoreDb();
    abort = new AbortController();
    log = new EventStoreDbEventLog(server.connectionString);
  });

  afterEach(async () => {
    abort.abort();
    await log.close();
    await server.stop();
  });

  async function write(count: number): Promise<{ ids: string[]; position: Position }> {
    const events = Array.from({ length: count }, () => event());
    const { position } = await log.append(freshStream(), events, 'no-stream');
    return { ids: events.map(({ id }) => id), position };
  }

  /** Follows in the background. */
  function collect(after: Position): { seen: string[]; ended: Promise<unknown> } {
    const seen: string[] = [];
    const run = async (): Promise<void> => {
      for await (const { events } of log.follow(after, abort.signal)) {
        seen.push(...events.map(({ id }) => id));
      }
    };
    return { seen, ended: run().catch((error: unknown) => error) };
  }

  itOnSimulator('gives exactly what is missing after the server was killed', async () => {
    const written: string[] = [];
    const { seen } = collect(START);
    for (let round = 1; round <= 3; round++) {
      written.push(...(await write(100)).ids);
      await eventually('what was written', () => seen.length === written.length);
      await server.kill();
      await server.restart();
      written.push(...(await write(100)).ids);
      await eventually('what was written since', () => seen.length === written.length);
    }
    expect(seen).toEqual(written);
  });

  itOnSimulator(
    'goes on when the server ends the subscription, with an error or without a word',
    async () => {
      const { ids } = await write(500);
      await server.inject({ on: 'subscribe', times: 2, effect: 'end', afterEvents: 70 });
      const broken = { effect: 'end', afterEvents: 90, failure: 'internal' } as const;
      await server.inject({ on: 'subscribe', times: 2, ...broken });
      const { seen } = collect(START);
      await eventually('all of it', () => seen.length >= ids.length, 15_000);
      expect(seen).toEqual(ids);
    },
  );

  itOnSimulator('takes no room from appends and reads, however many follow', async () => {
    const { position } = await write(1);
    const followers = Array.from({ length: CALLS_OF_A_CONNECTION }, () => collect(START));
    const follow = (): boolean => followers.every(({ seen }) => seen.length === 1);
    await eventually('all follow', follow);
    expect(await log.head()).toBe(position);
    await write(1);
  });

  itOnSimulator('goes on when a subscription is never begun', async () => {
    const { ids } = await write(1);
    await server.inject({ on: 'subscribe', times: 1, effect: 'hang' });
    const { seen } = collect(START);
    await eventually('the event', () => seen.length === 1, 15_000);
    expect(seen).toEqual(ids);
  });

  itOnSimulator(
    'is begun anew by its follower when it fell silent while other calls are answered',
    async () => {
      await write(1);
      const silent = new AbortController();
      const seen: string[] = [];
      const follow = async (after: Position, signal: AbortSignal): Promise<Position> => {
        let reached = after;
        for await (const batch of log.follow(after, signal)) {
          seen.push(...batch.events.map(({ id }) => id));
          ({ reached } = batch);
        }
        return reached;
      };
      const first = follow(START, silent.signal);
      await eventually('the first event', () => seen.length === 1);
      await server.inject({ on: 'subscribe', effect: 'silence' });
      const { ids, position } = await write(1);
      expect(await log.head()).toBe(position);
      silent.abort();
      const reached = await first;
      const second = follow(reached, abort.signal);
      await eventually('the event that did not come', () => seen.length === 2);
      expect(seen.at(-1)).toBe(ids[0]);
      abort.abort();
      await second;
    },
  );

  itOnSimulator('ends loudly when the server comes back without what was followed', async () => {
    const { position } = await write(10);
    const { seen, ended } = collect(START);
    await eventually('what was written', () => seen.length === 10);
    await server.wipe();
    expect(await ended).toMatchObject({
      message: expect.stringContaining(`does not hold position ${position}`) as unknown,
    });
  });

  itOnSimulator('ends loudly when another log has grown in its place', async () => {
    const { position } = await write(10);
    await server.wipe();
    await write(20);
    expect(await collect(position).ended).toMatchObject({
      message: expect.stringContaining('is another one') as unknown,
    });
  });

  itOnSimulator('ends when it is told to while the server is away', async () => {
    const { seen, ended } = collect(START);
    await write(1);
    await eventually('the event', () => seen.length === 1);
    await server.kill();
    abort.abort();
    expect(await ended).toBeUndefined();
  });

  itOnSimulator(
    'leaves no call open, however often it is broken off, nor does reading',
    async () => {
      const { ids } = await write(100);
      const follow = async (_: unknown, turn: number): Promise<void> => {
        const once = new AbortController();
        for await (const { events } of log.follow(START, once.signal)) {
          expect(events.length).toBeGreaterThan(0);
          if (turn % 2 === 0) break;
          once.abort();
        }
      };
      const read = async (): Promise<void> => {
        for await (const _ of eventsUpToHead(log, START)) break;
      };
      for (let turn = 0; turn < MANY; turn += AT_ONCE) {
        await Promise.all([...Array.from({ length: AT_ONCE }, follow), read()]);
      }
      const { seen } = collect(START);
      await eventually('all of it', () => seen.length === ids.length);
    },
  );
});
