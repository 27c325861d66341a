import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT, USAGE } from '../../src/event-sourcing/ledger.js';
import { WaitingReaders } from '../../src/features/audit-trail/waiting-readers.js';
import { Verifier } from '../../src/features/verification/verifier.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { latestCursor, readFeed } from '../support/harness/event-feed.js';
import { eventually } from '../support/harness/eventually.js';
import type { Answer } from '../support/harness/http-client.js';
import { madeString } from '../support/harness/made-strings.js';
import {
  openConnections,
  openRawConnection,
  type RawConnection,
} from '../support/harness/raw-connection.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { accountOfEach, runningApp } from '../support/harness/running-app.js';

const service = runningApp();
const account = accountOfEach(service);

const PLACES = 64;
/** Less than the time after which a body that stops is given up. */
const AT_ONCE_MS = 3_000;
let hash: string;

beforeEach(async () => {
  hash = (await createKey(account.client)).data.hash;
});

const verify = (): Promise<Answer> => account.client.post('/v1/keys/verify', { hash });
const report = (): Promise<Answer> =>
  account.client.send('PUT', `/v1/usage-reports/${randomUUID()}`, {
    body: { records: [{ key_hash: hash, cost: 1 }] },
  });
const list = (): Promise<Answer> => account.client.get('/v1/keys');
const register = (): Promise<Answer> =>
  account.client.post('/v1/end-users', { user: randomUUID() });

/** Gives the head of a request whose body has this many bytes. */
function head(route: string, bytes: number, authorization = account.managementKey): string {
  return (
    `${route} HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n` +
    `Content-Type: application/x-www-form-urlencoded\r\nAuthorization: Bearer ${authorization}\r\n\r\n`
  );
}

const newReport = (): string => `PUT /v1/usage-reports/${randomUUID()}`;

describe('a request whose body is not there', () => {
  let opened: RawConnection[] = [];

  afterEach(() => {
    for (const connection of opened) connection.destroy();
    opened = [];
  });

  it.each([
    ['small', 1_000],
    ['large', 90_000],
  ])('has no place of its account: %s ones', async (_, bytes) => {
    let arrived = 0;
    service.app.getHttpServer().on('request', () => (arrived += 1));
    for (const route of [newReport, () => 'POST /v1/keys/verify', () => 'POST /v1/keys']) {
      for (let count = 0; count < PLACES; count += 1) {
        const connection = await openRawConnection(service.address);
        opened.push(connection);
        connection.send(`${head(route(), bytes)}{`);
      }
    }
    await eventually('all are there', () => arrived === 3 * PLACES);
    const begun = performance.now();
    const statuses = (await Promise.all([verify(), report(), list(), register()])).map(
      ({ status }) => status,
    );
    expect(statuses).toEqual([200, 201, 200, 201]);
    expect(performance.now() - begun).toBeLessThan(AT_ONCE_MS);
  });
});

describe('the places of an account', () => {
  let waiting = 0;
  let held: Promise<void>;
  let letGo: () => void;

  beforeEach(() => {
    waiting = 0;
    held = new Promise((resolve) => (letGo = resolve));
  });

  afterEach(() => {
    letGo();
    jest.restoreAllMocks();
  });

  /** Makes calls wait until the test lets them go. */
  function holding<Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) {
    return async (...args: Args): Promise<Result> => {
      waiting += 1;
      await held;
      return call(...args);
    };
  }

  function holdAppends(token: symbol): void {
    const log = service.app.get<EventLog>(token);
    const append = holding(log.append.bind(log));
    jest.spyOn(log, 'append').mockImplementation(append);
  }

  function holdVerifications(): void {
    const verifier = service.app.get(Verifier);
    const verify = holding(verifier.verify.bind(verifier));
    jest.spyOn(verifier, 'verify').mockImplementation(verify);
  }

  it('are not taken by requests that wait for an event', async () => {
    const after = await latestCursor(account.client);
    const reading = Array.from({ length: 16 }, () =>
      readFeed(account.client, `after=${after}&wait=20`),
    );
    await eventually('they wait', () => service.app.get(WaitingReaders).count === 16);
    holdAppends(MANAGEMENT.log);
    const sent = Array.from({ length: PLACES }, register);
    await eventually('all places are taken', () => waiting === PLACES);
    letGo();
    for (const { status } of await Promise.all(sent)) expect(status).toBe(201);
    for (const { data } of await Promise.all(reading)) expect(data).not.toEqual([]);
  });

  it.each([
    {
      name: 'usage reports',
      send: report,
      hold: () => holdAppends(USAGE.log),
      others: [verify, list, register],
    },
    {
      name: 'verifications',
      send: verify,
      hold: holdVerifications,
      others: [report, list, register],
    },
    {
      name: 'the rest',
      send: register,
      hold: () => holdAppends(MANAGEMENT.log),
      others: [report, verify, () => account.client.get('/v1/key')],
    },
  ])('are 64 of $name, which take none of the others', async ({ send, hold, others }) => {
    hold();
    const sent = Array.from({ length: PLACES + 6 }, send);
    await eventually('all places are taken', () => waiting === PLACES);
    for (const { status } of await Promise.all(others.map((other) => other()))) {
      expect([200, 201]).toContain(status);
    }
    expect(waiting).toBe(PLACES);
    letGo();
    for (const { status } of await Promise.all(sent)) expect([200, 201]).toContain(status);
  });

  it('stay taken when their callers leave, until their work has ended', async () => {
    const server = service.app.getHttpServer();
    holdVerifications();
    const body = JSON.stringify({ hash });
    const callers = await Promise.all(
      Array.from({ length: PLACES }, () => openRawConnection(service.address)),
    );
    for (const caller of callers) {
      caller.send(`${head('POST /v1/keys/verify', body.length)}${body}`);
    }
    await eventually('all places are taken', () => waiting === PLACES);
    const all = await openConnections(server);
    for (const caller of callers) caller.destroy();
    await eventually('they have left', async () => (await openConnections(server)) <= all - PLACES);
    const next = verify();
    expect(await list()).toMatchObject({ status: 200 });
    expect(waiting).toBe(PLACES);
    letGo();
    expect(await next).toMatchObject({ status: 200 });
  });
});

describe('the places of look-ups of keys that are not in memory', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('are 4 for strings that come without a management key, which take none of the others', async () => {
    const cold = madeString();
    await account.client.put(`/v1/keys/${cold.hash}`, { name: 'a key' });
    const invented = Array.from({ length: 12 }, () => madeString());
    const streams = new Set(invented.map((one) => `key-${one.hash}`));
    const log = service.app.get<EventLog>(MANAGEMENT.log);
    const readStream = log.readStream.bind(log);
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let waiting = 0;
    jest.spyOn(log, 'readStream').mockImplementation(async (stream, ...from) => {
      if (streams.has(stream)) {
        waiting += 1;
        await held;
      }
      return readStream(stream, ...from);
    });
    const asked = invented.map((one, index) =>
      account.client.as(one.key).get(index % 2 === 0 ? '/v1/key' : '/v1/keys'),
    );
    await eventually('their places are taken', () => waiting === 4);
    const { body } = await account.client.post('/v1/keys/verify', { key: cold.key });
    expect(body).toMatchObject({ data: { code: 'VALID' } });
    expect(waiting).toBe(4);
    letGo();
    for (const { status } of await Promise.all(asked)) expect(status).toBe(401);
  });
});

describe('a body that stops arriving for 5 s', () => {
  let key: string;

  beforeAll(() => {
    key = service.managementKey;
  });

  it('is 408 on every route that reads one, and its connection is closed', async () => {
    const introspection =
      'POST /v1/oauth/introspect HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n';
    const answers = await Promise.all([
      sendRaw(service.address, `${head('POST /v1/keys', 10, key)}{`),
      sendRaw(service.address, `${head(newReport(), 100_000, key)}{`),
      sendRaw(service.address, head('POST /v1/keys/verify', 10, key)),
      sendRaw(service.address, `${head('POST /v1/oauth/introspect', 10, key)}t`),
      sendRaw(service.address, `${introspection}t`),
    ]);
    for (const answer of answers) {
      expect(errorOf(answer, 408).reason).toBe('body-timeout');
      expect(answer.headers.get('connection')).toBe('close');
    }
  });
});
