import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { CLASSIC } from '../../../../test/support/backends/eventstoredb-simulator/real-client.js';
import { SimulatorProcess } from '../../../../test/support/backends/eventstoredb-simulator/simulator-process.js';
import { itOnSimulator } from '../../../../test/support/backends/it-on-simulator.js';
import { event, freshStream } from '../../../../test/contracts/opened-log.js';
import { Unavailable } from '../../../kernel/errors.js';
import { type Position, START } from '../../../kernel/position.js';
import { EventStoreDbEventLog, STREAM_PREFIX } from './eventstoredb-event-log.js';

/** The length of a tail of events of others. */
const TAIL = 2_000;
/** The most messages that a look at the end of the log may cost. */
const MOST_MESSAGES = 10;
/** The most messages of a first look, whatever others have written. */
const MOST_AT_FIRST = 20;

describe('behind events of others, the end of the log', () => {
  let server: SimulatorProcess;
  let other: EventStoreDBClient;
  const opened: EventStoreDbEventLog[] = [];

  beforeEach(async () => {
    server = await SimulatorProcess.start();
    other = EventStoreDBClient.connectionString(server.connectionString);
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((log) => log.close()));
    await other.dispose();
    await server.stop();
  });

  function open(stored: () => Promise<Position>): EventStoreDbEventLog {
    const log = new EventStoreDbEventLog(server.connectionString, STREAM_PREFIX, stored);
    opened.push(log);
    return log;
  }

  async function writeForeign(count: number): Promise<void> {
    const events = Array.from({ length: count }, () => jsonEvent({ type: 'Ordered', data: {} }));
    await other.appendToStream('orders-1', events, CLASSIC);
  }

  async function messagesOf(work: () => Promise<unknown>): Promise<number> {
    const before = await server.counts();
    await work();
    return (await server.counts()).messages - before.messages;
  }

  async function writeOurs(): Promise<Position> {
    const log = open(async () => START);
    const { position } = await log.append(freshStream(), [event()], 'no-stream');
    return position;
  }

  itOnSimulator('is found from a stored position without reading them', async () => {
    const stored = await writeOurs();
    const last = await writeOurs();
    await writeForeign(TAIL);
    const log = open(async () => stored);
    const messages = await messagesOf(async () => expect(await log.head()).toBe(last));
    expect(messages).toBeLessThanOrEqual(MOST_AT_FIRST);
  });

  itOnSimulator('of an empty log is found without reading them', async () => {
    await writeForeign(TAIL);
    const log = open(async () => START);
    const messages = await messagesOf(async () => expect(await log.head()).toBe(START));
    expect(messages).toBeLessThanOrEqual(MOST_AT_FIRST);
  });

  itOnSimulator('is found from the start when we have written little', async () => {
    await writeOurs();
    const last = await writeOurs();
    await writeForeign(TAIL);
    const log = open(async () => START);
    const messages = await messagesOf(async () => expect(await log.head()).toBe(last));
    expect(messages).toBeLessThanOrEqual(MOST_AT_FIRST);
  });

  itOnSimulator('is found from the end when others have written less than we', async () => {
    const log = open(async () => START);
    const many = Array.from({ length: TAIL }, () => event());
    const { position } = await log.append(freshStream(), many, 'no-stream');
    await writeForeign(TAIL / 20);
    const fresh = open(async () => START);
    const messages = await messagesOf(async () => expect(await fresh.head()).toBe(position));
    expect(messages).toBeLessThan(TAIL / 2);
  });

  itOnSimulator('costs a few messages a look, however fast others write', async () => {
    const last = await writeOurs();
    const log = open(async () => START);
    await log.head();
    for (const count of [1, 4, 30, 300, TAIL]) {
      await writeForeign(count);
      const messages = await messagesOf(async () => expect(await log.head()).toBe(last));
      expect([count, messages <= MOST_MESSAGES]).toEqual([count, true]);
    }
    const idle = await messagesOf(() => log.head());
    expect(idle).toBe(1);
  });

  itOnSimulator('goes on being found without reading them after a search was cut off', async () => {
    const stored = await writeOurs();
    await writeForeign(TAIL);
    const log = open(async () => stored);
    await server.inject({ on: 'subscribe', times: 2, effect: 'fail', failure: 'internal' });
    const messages = await messagesOf(async () => expect(await log.head()).toBe(stored));
    expect(messages).toBeLessThanOrEqual(5 * MOST_AT_FIRST);
  });

  itOnSimulator('is not searched for before the stored position is known', async () => {
    const last = await writeOurs();
    let isAway = true;
    const log = open(async () => {
      if (isAway) throw new Unavailable('read store', 'it is away');
      return last;
    });
    const refused = await messagesOf(async () => {
      const looks = await Promise.allSettled([log.head(), log.head(last)]);
      for (const look of looks)
        expect(look).toMatchObject({ status: 'rejected', reason: { part: 'read store' } });
    });
    expect(refused).toBe(0);
    isAway = false;
    expect(await log.head()).toBe(last);
  });

  itOnSimulator('is not searched for by a ping, which reads one event', async () => {
    await writeForeign(TAIL);
    const log = open(() => Promise.reject(new Unavailable('read store', 'it is away')));
    // The first call of a log finds the leader, which costs an event too.
    expect(await messagesOf(() => log.ping())).toBe(2);
  });
});
