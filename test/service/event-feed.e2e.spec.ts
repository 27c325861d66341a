import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import type { ReadModels } from '../../src/event-sourcing/projections/read-models.js';
import { WaitingReaders } from '../../src/features/audit-trail/waiting-readers.js';
import { hashKeyString } from '../../src/kernel/key-string.js';
import { createKey } from '../support/harness/api-keys.js';
import { auditEvents, auditPage } from '../support/harness/audit-events.js';
import { errorOf } from '../support/harness/error-of.js';
import { askFeed, latestCursor, readFeed } from '../support/harness/event-feed.js';
import { eventually } from '../support/harness/eventually.js';
import type { HttpClient } from '../support/harness/http-client.js';
import { makeManagementKey } from '../support/harness/management-keys.js';
import { onlyOn } from '../support/harness/only-on.js';
import { openRawConnection } from '../support/harness/raw-connection.js';
import { accountOf, accountOfEach, runningApp } from '../support/harness/running-app.js';
import { askSlowly } from '../support/harness/slow-reader.js';

const service = runningApp({ MAX_CONNECTIONS: '80' });
const embedded = onlyOn('embedded', 'queries are read before a backend is asked');

const MOST_OF_ACCOUNT = 16;
const MOST_IN_ALL = 40;
/** How long an event may take to a reader who waits. */
const WITHIN_MS = 1_000;

/** The number of requests that wait for an event. */
function waiting(): number {
  return service.app.get(WaitingReaders).count;
}

async function register(client: HttpClient, user: string): Promise<void> {
  expect((await client.post('/v1/end-users', { user })).status).toBe(201);
}

describe('the feed over HTTP', () => {
  const account = accountOf(service);

  beforeAll(async () => {
    const { client } = account;
    const { data } = await createKey(client);
    await client.patch(`/v1/keys/${data.hash}`, { name: 'second', disabled: true });
    for (const user of ['ada', 'bob']) await register(client, user);
  });

  it('has the events of the audit trail, oldest first, page by page', async () => {
    const trail = (await auditEvents(account.client)).reverse();
    const all = await readFeed(account.client);
    expect(all).toEqual({ data: trail, next_cursor: expect.any(String), has_more: false });
    const pages = [await readFeed(account.client, 'limit=4')];
    while (pages.at(-1)?.has_more === true) {
      pages.push(await readFeed(account.client, `limit=4&after=${pages.at(-1)?.next_cursor}`));
    }
    expect(pages.flatMap(({ data }) => data)).toEqual(trail);
    expect(pages.at(-1)?.next_cursor).toBe(all.next_cursor);
  });

  it('carries the filters in its cursors, which a reader may repeat and not change', async () => {
    const { client } = account;
    const filter = 'action=key.renamed&action=end-user.registered';
    const actionsOf = async (query: string): Promise<string[]> =>
      (await readFeed(client, query)).data.map(({ action }) => action);
    const registered = Array<string>(2).fill('end-user.registered');
    expect(await actionsOf(filter)).toEqual(['key.renamed', ...registered]);
    const { next_cursor: after } = await readFeed(client, `limit=1&${filter}`);
    const same = 'action=end-user.registered&action=key.renamed';
    for (const repeated of ['', filter, same]) {
      expect(await actionsOf(`after=${after}&${repeated}`)).toEqual(registered);
    }
    const others = `action=key.renamed&actor=x&target_type=key&target_id=y`;
    expect(errorOf(await askFeed(client, `after=${after}&${others}`), 400)).toMatchObject({
      reason: 'request-invalid',
      paths: ['action', 'actor', 'target_id', 'target_type'],
    });
    const bob = 'target_type=end-user&target_id=bob';
    expect(await actionsOf(bob)).toEqual(['end-user.registered']);
    expect(await actionsOf(`actor=${account.userId}&${bob}`)).toEqual(['end-user.registered']);
    const none = `actor=nobody&${bob}`;
    const next_cursor = await latestCursor(client, none);
    // The cursor moves on although nothing matched.
    expect(await readFeed(client, none)).toEqual({ data: [], next_cursor, has_more: false });
  });

  it('has the longest filter there is in a cursor', async () => {
    const longest = encodeURIComponent('\u0001'.repeat(510));
    const query = `actor=x${longest}x&target_type=key&target_id=x${longest}x`;
    const { next_cursor: after } = await readFeed(account.client, query);
    expect(await readFeed(account.client, `after=${after}`)).toMatchObject({ next_cursor: after });
  });

  it('refuses a cursor that it did not give to the account', async () => {
    const { client } = account;
    const { next_cursor } = await readFeed(client, 'limit=1');
    const other = await service.openAccount();
    const { body } = await auditPage(client, 'limit=1');
    const last = next_cursor.endsWith('A') ? 'B' : 'A';
    const cursors = [
      'x',
      'latest2',
      `${next_cursor}A`,
      next_cursor.slice(0, -1) + last,
      body.next_cursor ?? '',
      await latestCursor(other.client),
    ];
    for (const cursor of cursors) {
      const refused = await askFeed(client, `after=${cursor}&wait=20`);
      expect(errorOf(refused, 400)).toMatchObject({ reason: 'cursor-unknown', paths: [] });
    }
  });

  embedded.it.each([
    ['after', 'after='],
    ['after', 'after=latest&after=latest'],
    ['limit', 'limit=0'],
    ['limit', 'limit=1001'],
    ['wait', 'wait=21'],
    ['wait', 'wait=-1'],
    ['wait', 'wait=0.5'],
    ['wait', 'wait='],
    ['wait', 'wait=1&wait=1'],
    ['action', 'action=key.exploded'],
    ['target_id', 'target_id=x'],
    ['cursor', 'cursor=x'],
    ['from', 'from=2026-01-01T00:00:00Z'],
  ])('refuses and names a %s that is not right: %s', async (path, query) => {
    expect(errorOf(await askFeed(account.client, query), 400).paths).toEqual([path]);
  });

  embedded.it('refuses a cursor that is longer than any other', async () => {
    const refused = await askFeed(account.client, `after=${'a'.repeat(12_001)}`);
    expect(errorOf(refused, 400).paths).toEqual(['after']);
  });
});

describe('a reader of the feed who waits', () => {
  const account = accountOfEach(service);
  let after: string;

  beforeEach(async () => {
    after = await latestCursor(account.client);
  });

  it('gets the next event within a second, and no event of another account', async () => {
    const { client } = account;
    const reading = readFeed(client, `after=${after}&wait=20`);
    await eventually('it waits', () => waiting() === 1);
    await register((await service.openAccount()).client, 'foreign');
    expect(waiting()).toBe(1);
    await register(client, 'ada');
    const answered = performance.now();
    const { data, has_more } = await reading;
    expect(performance.now() - answered).toBeLessThan(WITHIN_MS);
    expect({ users: data.map(({ target }) => target.id), has_more }).toEqual({
      users: ['ada'],
      has_more: false,
    });
  });

  it('waits for one that matches, and reads for others at most four times a second', async () => {
    const { client } = account;
    const reading = readFeed(
      client,
      `after=${await latestCursor(client, 'action=key.created')}&wait=20`,
    );
    await eventually('it waits', () => waiting() === 1);
    const read = jest.spyOn(service.app.get<ReadModels>(MANAGEMENT.models), 'read');
    const begun = performance.now();
    const seconds = (): number => (performance.now() - begun) / 1_000;
    for (let user = 0; seconds() < 1; user += 1) await register(client, `user-${user}`);
    await eventually('it reads for them', () => read.mock.calls.length > 0);
    expect(read.mock.calls.length).toBeLessThanOrEqual(1 + 4 * seconds());
    jest.restoreAllMocks();
    await createKey(client);
    expect((await reading).data.map(({ action }) => action)).toEqual(['key.created']);
  });

  it('gets an answer without events when the time is over, whose cursor has moved on', async () => {
    const { client } = account;
    const begun = performance.now();
    const filtered = await latestCursor(client, 'action=key.created');
    const reading = readFeed(client, `after=${filtered}&wait=1`);
    await register(client, 'ada');
    const { data, next_cursor, has_more } = await reading;
    expect(performance.now() - begun).toBeGreaterThan(1_000);
    expect({ data, has_more }).toEqual({ data: [], has_more: false });
    expect(next_cursor).toBe(await latestCursor(client, 'action=key.created'));
  });

  it('does not wait where there are events, nor with the cursor of now', async () => {
    const begun = performance.now();
    await register(account.client, 'ada');
    expect((await readFeed(account.client, `after=${after}&wait=20`)).data).toHaveLength(1);
    expect((await readFeed(account.client, 'after=latest&wait=20')).data).toEqual([]);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('asks neither the log nor the store while nothing happens', async () => {
    const reading = readFeed(account.client, `after=${after}&wait=2`);
    await eventually('it waits', () => waiting() === 1);
    const read = jest.spyOn(service.app.get<ReadModels>(MANAGEMENT.models), 'read');
    const stream = jest.spyOn(service.app.get<EventLog>(MANAGEMENT.log), 'readStream');
    await register((await service.openAccount()).client, 'foreign');
    stream.mockClear();
    expect((await reading).data).toEqual([]);
    expect([read.mock.calls.length, stream.mock.calls.length]).toEqual([0, 0]);
    jest.restoreAllMocks();
  });

  it('is refused when its key was revoked meanwhile', async () => {
    const { client } = account;
    const key = await makeManagementKey(service, account, 'auditor');
    const reader = client.as(key);
    const { next_cursor } = await readFeed(reader, 'after=latest&action=key.created');
    const reading = askFeed(reader, `after=${next_cursor}&wait=20`);
    await eventually('it waits', () => waiting() === 1);
    await client.delete(`/v1/management-keys/${hashKeyString(key)}`);
    await createKey(client);
    expect(errorOf(await reading, 401).reason).toBe('key-invalid');
  });

  it('has one of 16 places of its account, and of half the connections in all', async () => {
    const { client, managementKey } = account;
    const wait = (key: string, cursor: string): ReturnType<typeof askSlowly> => {
      const reading = askSlowly(`${service.address}/v1/events?after=${cursor}&wait=20`, {
        Authorization: `Bearer ${key}`,
      });
      // When the test fails, the service ends before some of them are answered.
      reading.catch(() => undefined);
      return reading;
    };
    const readers = [];
    for (let count = 1; count <= MOST_OF_ACCOUNT; count += 1) {
      readers.push(wait(managementKey, after));
      await eventually('it waits', () => waiting() === count);
    }
    const beyond = await askFeed(client, `after=${after}&wait=1`);
    expect(errorOf(beyond, 429).reason).toBe('too-many-streams');
    expect(beyond.headers.get('retry-after')).toBe('1');
    // What need not wait is answered.
    expect((await askFeed(client, `after=${after}`)).status).toBe(200);
    expect((await askFeed(client, 'wait=20')).status).toBe(200);
    const others = await Promise.all([1, 2, 3].map(() => service.openAccount()));
    for (const other of others) {
      const cursor = await latestCursor(other.client);
      for (let count = 0; count < MOST_OF_ACCOUNT && waiting() < MOST_IN_ALL; count += 1) {
        const before = waiting();
        readers.push(wait(other.managementKey, cursor));
        await eventually('it waits', () => waiting() === before + 1);
      }
    }
    const last = others[2]?.client ?? client;
    const full = await askFeed(last, `after=${await latestCursor(last)}&wait=1`);
    expect(errorOf(full, 429).reason).toBe('too-many-streams');
    await register(client, 'ada');
    for (const reader of readers.slice(0, MOST_OF_ACCOUNT)) {
      expect((await reader).status).toBe(200);
    }
    expect(waiting()).toBe(MOST_IN_ALL - MOST_OF_ACCOUNT);
    // Their places are free.
    const again = await askFeed(client, `after=${await latestCursor(client)}&wait=1`);
    expect(again.status).toBe(200);
    for (const other of others) await register(other.client, 'ada');
    for (const reader of readers) (await reader).leave();
  });

  it('has its place until its answer is sent', async () => {
    const { client, managementKey } = account;
    const ask = (cursor: string): string =>
      `GET /v1/events?after=${cursor}&wait=20 HTTP/1.1\r\nHost: a\r\n` +
      `Authorization: Bearer ${managementKey}\r\n\r\n`;
    // The answers of a connection are sent in order, so that seven wait for that to the first.
    const requests = ask(await latestCursor(client, 'action=key.created')) + ask(after).repeat(7);
    const connections = [
      await openRawConnection(service.address),
      await openRawConnection(service.address),
    ];
    for (const connection of connections) connection.send(requests);
    await eventually('all wait', () => waiting() === MOST_OF_ACCOUNT);
    await register(client, 'ada');
    await eventually('all others have their answers', () => waiting() === connections.length);
    const query = `after=${await latestCursor(client)}&wait=1`;
    expect(errorOf(await askFeed(client, query), 429).reason).toBe('too-many-streams');
    for (const connection of connections) connection.destroy();
    await eventually('the places are free', async () => {
      return (await askFeed(client, query)).status === 200;
    });
  });

  it('leaves its place when it goes', async () => {
    const over = new AbortController();
    const reading = fetch(`${service.address}/v1/events?after=${after}&wait=20`, {
      headers: { Authorization: `Bearer ${account.managementKey}` },
      signal: over.signal,
    });
    await eventually('it waits', () => waiting() === 1);
    over.abort();
    await expect(reading).rejects.toThrow();
    await eventually('it has left', () => waiting() === 0);
  });
});
