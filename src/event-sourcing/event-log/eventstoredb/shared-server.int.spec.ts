import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { itOnSimulator } from '../../../../test/support/backends/it-on-simulator.js';
import { startEventStoreDb } from '../../../../test/support/backends/start-eventstoredb.js';
import type { EventStoreDbServer } from '../../../../test/support/backends/eventstoredb-server.js';
import { CLASSIC } from '../../../../test/support/backends/eventstoredb-simulator/real-client.js';
import { event, freshStream } from '../../../../test/contracts/opened-log.js';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { START } from '../../../kernel/position.js';
import type { RecordedEvent } from '../event-log.js';
import { EventStoreDbEventLog, STREAM_PREFIX } from './eventstoredb-event-log.js';
import { HeadSearch } from './head-search.js';
import { OwnStreams } from './stored-form.js';
import { eventsUpToHead } from '../events-up-to-head.js';

const MANY = 2_000;
/** More than a search reads before it lets the server pass over the rest. */
const FAR = 6_000;
/** The deadline of a search that takes dozens of calls, on a busy machine. */
const FOUND_WITHIN_MS = 20_000;
const OWN = new OwnStreams(STREAM_PREFIX);

describe('an EventStoreDB shared with other services', () => {
  let server: EventStoreDbServer;
  let log: EventStoreDbEventLog;
  let other: EventStoreDBClient;

  beforeAll(async () => {
    server = await startEventStoreDb();
  });

  beforeEach(() => {
    log = new EventStoreDbEventLog(server.connectionString);
    other = EventStoreDBClient.connectionString(server.connectionString);
  });

  afterEach(async () => {
    await log.close();
    await other.dispose();
  });

  afterAll(async () => {
    await server.stop();
  });

  /** Writes events of another service: its own stream and its own types. */
  async function writeForeign(count = 3, stream = `orders-${randomUUID()}`): Promise<void> {
    const events = Array.from({ length: count }, () => jsonEvent({ type: 'Ordered', data: {} }));
    await other.appendToStream(stream, events, CLASSIC);
  }

  /** Repeats a search that the server cuts off. Gives what it finds, and how many were cut off. */
  async function foundInPieces(
    find: () => Promise<string>,
  ): Promise<{ readonly found: string; readonly cutOff: number }> {
    const broken = { effect: 'end', afterEvents: MANY / 20, failure: 'internal' } as const;
    await server.inject({ on: 'read', ...broken });
    let cutOff = 0;
    const look = (): Promise<string | undefined> =>
      find().catch(() => {
        cutOff += 1;
        return undefined;
      });
    try {
      return { found: await eventually('the last event', look, FOUND_WITHIN_MS), cutOff };
    } finally {
      await server.heal();
    }
  }

  it('gives events of this service only, whatever else is in the log', async () => {
    const after = await log.head();
    const stream = freshStream();
    const ours = [event(), event()];
    await writeForeign();
    await log.append(stream, ours.slice(0, 1), 'no-stream');
    await other.setStreamMetadata(OWN.onServer(stream), { maxCount: 1_000 }, CLASSIC);
    await writeForeign(3, 'keyledgers-1');
    const { position } = await log.append(stream, ours.slice(1), 0);
    await writeForeign();
    const ids = ours.map(({ id }) => id);
    const read: string[] = [];
    for await (const { events, reached } of eventsUpToHead(log, after)) {
      read.push(...events.map(({ id }) => id));
      expect(reached <= position).toBe(true);
    }
    expect(read).toEqual(ids);
    const abort = new AbortController();
    const followed: string[] = [];
    for await (const { events } of log.follow(after, abort.signal)) {
      followed.push(...events.map(({ id }) => id));
      if (followed.length >= 2) abort.abort();
    }
    expect(followed).toEqual(ids);
  });

  it('passes over the tombstone of a stream of this service', async () => {
    const stream = freshStream();
    const { position } = await log.append(stream, [event()], 'no-stream');
    await other.tombstoneStream(OWN.onServer(stream));
    expect(await log.head()).toBe(position);
    await expect(log.readStream(stream)).rejects.toThrow('deleted');
  });

  it('has its head at the last event of this service, wherever others have written', async () => {
    for (let turn = 0; turn < 20; turn++) {
      const { position } = await log.append(freshStream(), [event()], 'no-stream');
      const late = new EventStoreDbEventLog(server.connectionString);
      if (turn % 3 > 0) await writeForeign(turn * 20);
      expect(await log.head()).toBe(position);
      if (turn % 3 > 1) await writeForeign();
      expect(await log.head()).toBe(position);
      expect(await late.head()).toBe(position);
      await late.close();
    }
  });

  it('is searched once for all who ask for the head at the same time, through what others wrote', async () => {
    const { position } = await log.append(freshStream(), [event()], 'no-stream');
    await log.head();
    await writeForeign(MANY);
    const reads = jest.spyOn(EventStoreDBClient.prototype, 'readAll');
    const heads = await Promise.all(Array.from({ length: 20 }, () => log.head()));
    const searches = reads.mock.calls.filter(([options]) => options?.maxCount !== 1);
    reads.mockRestore();
    expect(new Set(heads)).toEqual(new Set([position]));
    expect(searches).toHaveLength(1);
  });

  it('costs one event for each look at the head behind the log of usage, once that was searched', async () => {
    const streamPrefix = `usage:${STREAM_PREFIX}`;
    const usage = new EventStoreDbEventLog(server.connectionString, streamPrefix);
    try {
      const { position } = await log.append(freshStream(), [event()], 'no-stream');
      for (let written = 0; written < MANY; written += 500) {
        const reports = Array.from({ length: 500 }, () => event());
        await usage.append(freshStream(), reports, 'no-stream');
      }
      expect(await log.head()).toBe(position);
      const reads = jest.spyOn(EventStoreDBClient.prototype, 'readAll');
      for (let look = 0; look < 20; look += 1) expect(await log.head()).toBe(position);
      const counts = reads.mock.calls.map(([options]) => options?.maxCount);
      reads.mockRestore();
      expect(counts).toEqual(Array.from({ length: 20 }, () => 1));
    } finally {
      await usage.close();
    }
  });

  it('may have several installations, each with a prefix of its own', async () => {
    const streamPrefix = `of_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
    const neighbour = new EventStoreDbEventLog(server.connectionString, streamPrefix);
    try {
      const stream = freshStream();
      expect([await neighbour.head(), await neighbour.identity()]).toEqual([START, null]);
      await log.append(stream, [event(), event()], 'no-stream');
      const { position } = await neighbour.append(stream, [event()], 'no-stream');
      expect(await neighbour.head()).toBe(position);
      expect(await neighbour.identity()).toMatchObject({ position });
      expect(await log.head()).not.toBe(position);
      for await (const { events } of eventsUpToHead(neighbour, START))
        expect(events).toHaveLength(1);
      expect((await neighbour.readStream(stream)).events).toMatchObject([{ stream, revision: 0 }]);
      expect((await log.readStream(stream)).events).toHaveLength(2);
    } finally {
      await neighbour.close();
    }
  });

  itOnSimulator(
    'is searched for the head a piece at a time, where one read does not get through',
    async () => {
      const { position } = await log.append(freshStream(), [event()], 'no-stream');
      const search = new HeadSearch(
        OWN,
        () => START,
        () => Promise.resolve(false),
      );
      // A complete search before must not change the result of a search that is cut off.
      expect(await search.find(other, 5_000)).toBe(position);
      await writeForeign(MANY);
      const { found, cutOff } = await foundInPieces(() => search.find(other, 5_000));
      expect(found).toBe(position);
      expect(cutOff).toBeGreaterThan(5);
      const { position: next } = await log.append(freshStream(), [event()], 'no-stream');
      await writeForeign(10);
      expect(await search.find(other, 5_000)).toBe(next);
    },
  );

  for (const hasIt of [true, false])
    it(`is searched from a known event on when others wrote much, ${hasIt ? '' : 'but not '}if the log has the event`, async () => {
      const { position: reached } = await log.append(freshStream(), [event()], 'no-stream');
      const { position: last } = await log.append(freshStream(), [event()], 'no-stream');
      for (let written = 0; written < FAR; written += MANY) await writeForeign(MANY);
      const forwards = jest.spyOn(EventStoreDBClient.prototype, 'subscribeToAll');
      const search = new HeadSearch(
        OWN,
        () => reached,
        () => Promise.resolve(hasIt),
      );
      expect(await search.find(other, 5_000)).toBe(last);
      expect(forwards).toHaveBeenCalledTimes(hasIt ? 1 : 0);
      forwards.mockRestore();
      await writeForeign(10);
      expect(await search.find(other, 5_000)).toBe(last);
    });

  it('has what another one wrote into a stream of this service as an event that cannot be read', async () => {
    const stream = freshStream();
    const before = await log.head();
    const { position } = await log.append(freshStream(), [event({}, 'Tallied')], 'no-stream');
    await writeForeign(1, OWN.onServer(stream));
    const read: RecordedEvent[] = [];
    for await (const { events } of eventsUpToHead(log, before)) read.push(...events);
    const [ours, theirs] = read;
    expect(ours?.position).toBe(position);
    expect(theirs).toMatchObject({ stream, version: 0 });
    expect((await log.readStream(stream)).events).toEqual([theirs]);
  });
});
