import { once } from 'node:events';
import { request as send } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EndUserDirectory } from '../../src/features/end-users/end-user-directory/end-user-directory.js';
import { createKey, eventTypesOfKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import type { Answer } from '../support/harness/http-client.js';
import { accountOfEach, runningApp, type TestAccount } from '../support/harness/running-app.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

const service = runningApp();

const ROUNDS = 30;

describe('a key that is deleted while', () => {
  /** Expects that no route finds a key, and that its deletion is its last event. */
  async function expectGone({ client }: TestAccount, hash: string, key: string): Promise<void> {
    const path = `/v1/keys/${hash}`;
    errorOf(await client.get(path), 404);
    errorOf(await client.patch(path, { name: 'late' }), 404);
    errorOf(await client.delete(path), 404);
    errorOf(await client.as(key).get('/v1/key'), 401);
    const types = await eventTypesOfKey(service, hash);
    expect(types.indexOf('ApiKeyDeleted')).toBe(types.length - 1);
    const { body } = await client.get('/v1/keys?workspace_id=all&include_disabled=true');
    expect(body).toEqual({ data: [], total_count: 0 });
    expect((await client.get('/v1/keys')).body).toEqual({ data: [], total_count: 0 });
  }

  it('it is updated takes each update whole or is not found by it', async () => {
    const account = await service.openAccount();
    const statuses = new Set<number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { data, key } = await createKey(account.client);
      const path = `/v1/keys/${data.hash}`;
      const update = (name: string): Promise<Answer> =>
        account.client.patch(path, { name, disabled: round % 2 === 0 });
      const [first, second] = [update('a'), update('b')];
      // A deletion has no body to read, so it would overtake requests that start with it.
      const deletion = first.then(() => account.client.delete(path));
      const late = [first.then(() => update('c')), first.then(() => update('d'))];
      const updates = await Promise.all([first, second, ...late]);
      expect(await deletion).toMatchObject({ status: 200, body: { deleted: true } });
      for (const answer of updates) {
        statuses.add(answer.status);
        if (answer.status !== 200) errorOf(answer, 404);
      }
      await expectGone(account, data.hash, key);
      const renames = updates.filter(({ status }) => status === 200).length;
      const types = await eventTypesOfKey(service, data.hash);
      expect(types.filter((type) => type === 'ApiKeyRenamed')).toHaveLength(renames);
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 404]));
  });

  it('it is deleted is deleted once', async () => {
    const account = await service.openAccount();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { data, key } = await createKey(account.client);
      const deletions = await Promise.all(
        Array.from({ length: 4 }, () => account.client.delete(`/v1/keys/${data.hash}`)),
      );
      expect(deletions.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
      await expectGone(account, data.hash, key);
    }
  });

  it('it is moved is counted in neither workspace', async () => {
    const account = await service.openAccount('individual');
    const workspace_id = await makeWorkspace(service, account);
    for (let round = 0; round < ROUNDS; round += 1) {
      const { data, key } = await createKey(account.client);
      const path = `/v1/keys/${data.hash}`;
      const move = (): Promise<Answer> => account.client.patch(path, { workspace_id });
      const remove = (): Promise<Answer> => account.client.delete(path);
      const both = round % 2 === 0 ? [move(), remove()] : [remove(), move()];
      const answers = await Promise.all(both);
      const [moved, removed] = round % 2 === 0 ? answers : answers.toReversed();
      expect(removed).toMatchObject({ status: 200 });
      expect([200, 404]).toContain(moved?.status);
      await expectGone(account, data.hash, key);
      const { body } = await account.client.get(`/v1/keys?workspace_id=${workspace_id}`);
      expect(body).toEqual({ data: [], total_count: 0 });
    }
  });
});

/** How many requests of an account the service handles at once. */
const SLOTS = 64;

/** A request on its own connection, which the test may abort. */
interface Asked {
  readonly status: Promise<number | undefined>;
  readonly giveUp: () => void;
}

describe('the requests of an account', () => {
  const account = accountOfEach(service);
  /** The handled requests. Each can continue, or fail. */
  let held: { readonly goOn: () => void; readonly fail: () => void }[];
  const asked: Asked[] = [];

  beforeEach(async () => {
    held = [];
    const directory = service.app.get(EndUserDirectory, { strict: false });
    const page = directory.page.bind(directory);
    jest.spyOn(directory, 'page').mockImplementation(async (organizationId, range) => {
      if (organizationId === account.accountId) {
        await new Promise<void>((resolve, reject) => {
          held.push({ goOn: resolve, fail: () => reject(new Error('broken')) });
        });
      }
      return page(organizationId, range);
    });
  });

  afterEach(() => {
    for (const { giveUp } of asked.splice(0)) giveUp();
    for (const { goOn } of held) goOn();
    jest.restoreAllMocks();
  });

  function ask(): Asked {
    const headers = { authorization: `Bearer ${account.managementKey}` };
    const sent = send(`${service.address}/v1/end-users`, { agent: false, headers });
    const status = new Promise<number | undefined>((resolve) => {
      sent.on('response', (answer) => resolve(answer.resume().statusCode));
      sent.on('error', () => resolve(undefined));
    });
    sent.end();
    const one = { status, giveUp: () => void sent.destroy() };
    asked.push(one);
    return one;
  }

  const many = (count: number): Asked[] => Array.from({ length: count }, ask);

  const worked = (count: number): Promise<unknown> =>
    eventually(`${count} are worked on`, () => held.length === count);

  it('wait in a queue beyond so many, while requests of other accounts are answered', async () => {
    many(SLOTS);
    await worked(SLOTS);
    const waiting = many(3);
    const other = await service.openAccount();
    expect(await other.client.get('/v1/end-users')).toMatchObject({ status: 200 });
    expect(held).toHaveLength(SLOTS);
    held[0]?.goOn();
    await worked(SLOTS + 1);
    for (const { goOn } of held) goOn();
    await worked(SLOTS + 3);
    for (const { goOn } of held) goOn();
    expect(await Promise.all(waiting.map(({ status }) => status))).toEqual([200, 200, 200]);
  });

  it('leave the queue when their callers disconnect, and are never handled', async () => {
    many(SLOTS);
    await worked(SLOTS);
    for (const { giveUp } of many(5)) giveUp();
    const last = ask();
    for (const { goOn } of held) goOn();
    await worked(SLOTS + 1);
    held.at(-1)?.goOn();
    expect(await last.status).toBe(200);
    expect(held).toHaveLength(SLOTS + 1);
  });

  it('give their slots back at every kind of end, and each once', async () => {
    const first = many(SLOTS);
    await worked(SLOTS);
    // One third is answered, one third fails, and the callers of one third disconnect meanwhile.
    first.forEach(({ giveUp }, index) => {
      if (index % 3 === 0) held[index]?.goOn();
      if (index % 3 === 1) held[index]?.fail();
      if (index % 3 === 2) giveUp();
    });
    const answered = first.filter((_, index) => index % 3 !== 2);
    const statuses = await Promise.all(answered.map(({ status }) => status));
    expect(new Set(statuses)).toEqual(new Set([200, 500]));
    const free = answered.length;
    many(SLOTS);
    await worked(SLOTS + free);
    // The requests of the callers that disconnected are still handled.
    for (const { goOn } of held.slice(0, SLOTS)) goOn();
    await worked(2 * SLOTS);
    many(1);
    const other = await service.openAccount();
    expect(await other.client.get('/v1/end-users')).toMatchObject({ status: 200 });
    expect(held).toHaveLength(2 * SLOTS);
  });

  it('give their slots back also when a CONNECT follows and the service cuts the connection off', async () => {
    const socket = connect(Number(new URL(service.address).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const key = account.managementKey;
    socket.write(`GET /v1/end-users HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    await worked(1);
    const connected = once(service.app.getHttpServer(), 'connect');
    socket.write('CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    const [, served] = (await connected) as [unknown, Socket];
    served.destroy();
    await once(served, 'close');
    held[0]?.goOn();
    many(SLOTS);
    await worked(SLOTS + 1);
  });
});
