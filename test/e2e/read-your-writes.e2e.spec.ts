import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import { endUserDirectory } from '../../src/end-users/end-user-directory/end-user-directory.projection.js';
import { EVENT_LOG, type EventLog } from '../../src/event-log/event-log.js';
import { nameOf } from '../../src/projections/generations.js';
import { Projections } from '../../src/projections/projections.js';
import type { Namespace } from '../../src/read-store/read-store.js';
import { FORM } from '../harness/backends.js';
import { errorOf } from '../harness/error-of.js';
import { eventually } from '../harness/eventually.js';
import { UNKNOWN_HASH } from '../harness/forms.js';
import type { Answer } from '../harness/http-client.js';
import { expectNotBehind, headOf } from '../harness/log-position.js';
import { startApp, type StartedApp } from '../harness/running-app.js';
import { stateOf } from '../harness/service-state.js';

describe('a list asked for while the read models are behind', () => {
  let service: StartedApp;
  /** The head of the log before the delayed writes. */
  let before: string;
  let release: () => void = () => undefined;

  afterEach(async () => {
    release();
    jest.restoreAllMocks();
    await service.stop();
  });

  /** Delays every write to the list of end users until `release`. */
  function holdBack(): void {
    if (FORM === 'embedded') {
      // This lock stops a writer in any thread.
      const name = `${nameOf(endUserDirectory, 1)}.db`;
      const file = join(service.backends.dataDir, 'read-models', name);
      const other = new Database(file, { fileMustExist: true });
      other.exec('BEGIN IMMEDIATE');
      release = () => other.close();
      return;
    }
    const gate = new Promise<void>((open) => (release = open));
    const { namespace } = service.app.get(Projections).get(endUserDirectory.name);
    const prototype = Object.getPrototypeOf(namespace) as Namespace;
    const write = Reflect.get<Namespace, 'write'>(prototype, 'write');
    jest.spyOn(prototype, 'write').mockImplementation(async function (this: Namespace, ...args) {
      await gate;
      return write.apply(this, args);
    });
  }

  /** Starts a service that knows its caller, and delays its writes from now on. */
  async function startBehind(timeout: string): Promise<void> {
    service = await startApp({ READ_YOUR_WRITES_TIMEOUT: timeout });
    await service.client.get('/v1/end-users');
    await stateOf(service);
    before = await headOf(service);
    holdBack();
    expect(await service.client.post('/v1/end-users', { user: 'ada' })).toMatchObject({
      status: 201,
    });
  }

  /** Expects an answer to report that it is behind, and its position. */
  async function expectBehind(answer: Answer): Promise<void> {
    expectNotBehind(answer, before);
    expect(answer.headers.get('keyledger-stale')).toBe('true');
    expect((answer.headers.get('x-log-position') ?? '') < (await headOf(service))).toBe(true);
  }

  it('waits until they have seen every write that was answered before it', async () => {
    await startBehind('30s');
    const written = await headOf(service);
    const asked = jest.spyOn(service.app.get<EventLog>(EVENT_LOG), 'head');
    const listing = service.client.get('/v1/end-users');
    await eventually('the list asks how far the log is', () => asked.mock.calls.length > 0);
    release();
    const answer = await listing;
    expect(answer).toMatchObject({
      status: 200,
      body: { data: [{ user: 'ada' }], total_count: 1 },
    });
    expectNotBehind(answer, written);
    expect(answer.headers.get('keyledger-stale')).toBeNull();
  });

  it('is answered as things are within READ_YOUR_WRITES_TIMEOUT, also when the log does not say where it ends', async () => {
    await startBehind('300ms');
    const never = new Promise<never>(() => undefined);
    jest.spyOn(service.app.get<EventLog>(EVENT_LOG), 'head').mockReturnValue(never);
    const asked = performance.now();
    const answer = await service.client.get('/v1/end-users');
    expect(performance.now() - asked).toBeLessThan(2_000);
    expect(answer).toMatchObject({ status: 200, body: { total_count: 0 } });
    expectNotBehind(answer, before);
    expect(answer.headers.get('keyledger-stale')).toBe('true');
    jest.restoreAllMocks();
  });

  it('is answered as things are once READ_YOUR_WRITES_TIMEOUT has passed, and says how far that is', async () => {
    await startBehind('50ms');
    const behind = await service.client.get('/v1/end-users');
    expect(behind).toMatchObject({ status: 200, body: { data: [], total_count: 0 } });
    await expectBehind(behind);
    const missed = await service.client.get('/v1/end-users/ada');
    errorOf(missed, 404);
    await expectBehind(missed);
    for (const path of [
      `keys/${UNKNOWN_HASH}`,
      'workspaces/none',
      `audit-events/${randomUUID()}`,
    ]) {
      const missing = await service.client.get(`/v1/${path}`);
      errorOf(missing, 404);
      expectNotBehind(missing, before);
    }
    const elsewhere = await service.client.get(`/v1/keys?workspace_id=${randomUUID()}`);
    errorOf(elsewhere, 400);
    expectNotBehind(elsewhere, before);
    release();
    await stateOf(service);
    const caughtUp = await service.client.get('/v1/end-users');
    expect(caughtUp).toMatchObject({ body: { total_count: 1 } });
    expect(caughtUp.headers.get('keyledger-stale')).toBeNull();
  });
});
