import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createKey } from '../../support/harness/api-keys.js';
import { type Backends, freshBackends } from '../../support/harness/backends.js';
import { askFeed, type EventsAnswer } from '../../support/harness/event-feed.js';
import { HttpClient } from '../../support/harness/http-client.js';
import { startApp } from '../../support/harness/running-app.js';
import { type AttackedService, ON_THE_FIRST_CORE, startAttacked } from './attacked-service.js';
import { expectHardlyNoticed, seenAround, type Victim } from './victim.js';

const ACCOUNTS = 500;
const READERS_OF_EACH = 4;
/** How many accounts begin to read at a time. */
const BEGINNING_AT_ONCE = 20;
const TURN_MS = 3_000;
const EVENT_EVERY_MS = 50;
/** How long an event may take to a reader who waits. */
const KNOWN_WITHIN_MS = 1_000;

interface Account {
  readonly client: HttpClient;
  readonly key: string;
}

interface Reader {
  /** The number of events that it got. */
  events: number;
  /** Its answers that are no page of the feed. */
  readonly faults: unknown[];
  readonly ended: Promise<void>;
}

describe('2,000 readers of 500 accounts who wait for events', () => {
  let backends: Backends;
  let service: AttackedService;
  const accounts: Account[] = [];

  beforeAll(async () => {
    backends = await freshBackends();
    const app = await startApp({}, { backends });
    const keys: string[] = [];
    for (let count = 0; count < ACCOUNTS; count += 1) {
      keys.push((await app.openAccount()).managementKey);
    }
    await app.stop();
    service = await startAttacked(backends.settings, ON_THE_FIRST_CORE);
    for (const key of keys) accounts.push({ key, client: new HttpClient(service.address, key) });
  }, 120_000);

  afterAll(async () => {
    await service.end();
    await backends.dispose();
  });

  /** Begins to read after a cursor, until the signal aborts. */
  function reader(key: string, after: string, signal: AbortSignal): Reader {
    const headers = { Authorization: `Bearer ${key}` };
    const reading: Reader = { events: 0, faults: [], ended: read() };
    return reading;

    async function read(): Promise<void> {
      let cursor = after;
      try {
        for (;;) {
          const path = `${service.address}/v1/events?after=${cursor}&wait=20`;
          const answer = await sentInTime(() => fetch(path, { headers, signal }));
          const text = await answer.text();
          const page = pageIn(text);
          if (answer.status !== 200 || !page) {
            const head = Object.fromEntries(answer.headers);
            reading.faults.push({ status: answer.status, head, length: text.length });
            return;
          }
          reading.events += page.data.length;
          cursor = page.next_cursor;
        }
      } catch (error) {
        if (!signal.aborted) reading.faults.push(String((error as Error).cause ?? error));
      }
    }
  }

  async function waitingReaders(signal: AbortSignal): Promise<Reader[]> {
    const readers: Reader[] = [];
    for (let first = 0; first < ACCOUNTS; first += BEGINNING_AT_ONCE) {
      const beginning = accounts.slice(first, first + BEGINNING_AT_ONCE);
      await Promise.all(
        beginning.map(async ({ client, key }) => {
          const { body } = await sentInTime(() => askFeed(client, 'after=latest'));
          const { next_cursor: after } = body;
          for (let count = 0; count < READERS_OF_EACH; count += 1) {
            readers.push(reader(key, after, signal));
          }
          // By then they wait, because a later request has been answered.
          const { status } = await sentInTime(() => askFeed(client, `after=${after}`));
          expect(status).toBe(200);
        }),
      );
    }
    return readers;
  }

  /** Stores events of the accounts in turn for some time. @returns their number. */
  async function write(): Promise<number> {
    const over = performance.now() + TURN_MS;
    let count = 0;
    for (; performance.now() < over; count += 1) {
      const user = `user-${performance.now()}`;
      const { client } = accounts[count % ACCOUNTS] as Account;
      const registered = await sentInTime(() => client.post('/v1/end-users', { user }));
      expect(registered.status).toBe(201);
      await delay(EVENT_EVERY_MS);
    }
    return count;
  }

  it('get each at once, and hardly delay the verifications of another account', async () => {
    const { key: verifies } = await createKey(new HttpClient(service.address, service.victim.key));
    const victim: Victim = { ...service.victim, verifies };
    const over = new AbortController();
    let readers: Reader[] = [];
    let written = 0;
    const { attack, harmless } = await seenAround(victim, {
      harmless: write,
      begin: async () => (readers = await waitingReaders(over.signal)),
      attack: async () => (written += await write()),
      end: async () => {
        await delay(KNOWN_WITHIN_MS);
        over.abort();
        await Promise.all(readers.map(({ ended }) => ended));
      },
    });
    expect(readers).toHaveLength(ACCOUNTS * READERS_OF_EACH);
    expect(readers.flatMap(({ faults }) => faults)).toEqual([]);
    const got = readers.reduce((sum, one) => sum + one.events, 0);
    expect(got).toBe(READERS_OF_EACH * written);
    expectHardlyNoticed(attack, harmless);
  }, 240_000);
});

/**
 * Sends a request again whose connection was closed because this process, on a busy machine, sent
 * nothing on it for 10 s. Only such an answer, of Node itself, has no request id.
 */
async function sentInTime<One extends Pick<Response, 'status' | 'headers'>>(
  send: () => Promise<One>,
): Promise<One> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 408 || answer.headers.has('x-request-id')) return answer;
  }
}

function pageIn(text: string): EventsAnswer | undefined {
  try {
    return JSON.parse(text) as EventsAnswer;
  } catch {
    return undefined;
  }
}
