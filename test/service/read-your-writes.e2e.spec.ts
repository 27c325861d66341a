import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import { LEDGERS } from '../../src/host/ledgers/ledgers.js';
import { Generations, namespaceOf } from '../../src/event-sourcing/projections/generations.js';
import {
  type Namespace,
  READ_STORE,
  type ReadStore,
} from '../../src/event-sourcing/read-store/read-store.js';
import { FORM } from '../support/harness/backends.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import type { Answer } from '../support/harness/http-client.js';
import { startApp, type StartedApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';

/** Reads of every read model: lists, what is not there, and a list in what is not there. */
const PATHS = [
  ...['keys', 'workspaces', 'audit-events'],
  ...[`keys/${UNKNOWN_HASH}`, 'workspaces/none', `audit-events/${randomUUID()}`, 'end-users/none'],
];

describe('a list asked for while the read models are behind', () => {
  let service: StartedApp;
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
      const name = `${namespaceOf(LEDGERS.management.readSide, 1)}.db`;
      const file = join(service.backends.dataDir, 'read-models', name);
      const other = new Database(file, { fileMustExist: true });
      other.exec('BEGIN IMMEDIATE');
      release = () => other.close();
      return;
    }
    const gate = new Promise<void>((open) => (release = open));
    const namespace = new Generations(
      LEDGERS.management.readSide,
      service.app.get<ReadStore>(READ_STORE),
    ).open(1);
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
    holdBack();
    expect(await service.client.post('/v1/end-users', { user: 'ada' })).toMatchObject({
      status: 201,
    });
  }

  function staleIn({ headers }: Answer): string | null {
    return headers.get('keyledger-stale');
  }

  it('waits until they have seen every write that was answered before it', async () => {
    await startBehind('30s');
    const asked = jest.spyOn(service.app.get<EventLog>(MANAGEMENT.log), 'head');
    const listing = service.client.get('/v1/end-users');
    await eventually('the list asks how far the log is', () => asked.mock.calls.length > 0);
    release();
    const answer = await listing;
    expect(answer).toMatchObject({
      status: 200,
      body: { data: [{ user: 'ada' }], total_count: 1 },
    });
    expect(staleIn(answer)).toBeNull();
  });

  it('is answered as things are within READ_YOUR_WRITES_TIMEOUT, also when the log does not say where it ends', async () => {
    await startBehind('300ms');
    const never = new Promise<never>(() => undefined);
    jest.spyOn(service.app.get<EventLog>(MANAGEMENT.log), 'head').mockReturnValue(never);
    const asked = performance.now();
    const answer = await service.client.get('/v1/end-users');
    expect(performance.now() - asked).toBeLessThan(2_000);
    expect(answer).toMatchObject({ status: 200, body: { total_count: 0 } });
    expect(staleIn(answer)).toBe('true');
    const statuses = [];
    for (const path of PATHS) {
      const late = await service.client.get(`/v1/${path}`);
      expect({ path, stale: staleIn(late) }).toEqual({ path, stale: 'true' });
      statuses.push(late.status);
    }
    expect(statuses).toEqual([200, 200, 200, 404, 404, 404, 404]);
    // The account's stream says which workspaces there are, and it is never late.
    const refused = await service.client.get(`/v1/keys?workspace_id=${randomUUID()}`);
    expect({ status: refused.status, stale: staleIn(refused) }).toEqual({
      status: 400,
      stale: null,
    });
    jest.restoreAllMocks();
  });

  it('is answered as things are once READ_YOUR_WRITES_TIMEOUT has passed, and says that it is stale', async () => {
    await startBehind('50ms');
    const behind = await service.client.get('/v1/end-users');
    expect(behind).toMatchObject({ status: 200, body: { data: [], total_count: 0 } });
    expect(staleIn(behind)).toBe('true');
    const missed = await service.client.get('/v1/end-users/ada');
    errorOf(missed, 404);
    expect(staleIn(missed)).toBe('true');
    release();
    await stateOf(service);
    const caughtUp = await service.client.get('/v1/end-users');
    expect(caughtUp).toMatchObject({ body: { total_count: 1 } });
    expect(staleIn(caughtUp)).toBeNull();
  });
});
