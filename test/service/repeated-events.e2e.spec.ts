import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  EVENT_LOG,
  type EventLog,
  type StoredEvent,
} from '../../src/event-sourcing/event-log/event-log.js';
import { Maintenance } from '../../src/event-sourcing/projections/maintenance.js';
import { createKey } from '../support/harness/api-keys.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { registerMany } from '../support/harness/long-trail.js';
import { startApp, type StartedApp } from '../support/harness/running-app.js';
import { history } from '../../src/event-sourcing/event-log/history.js';

/** More events than one batch of a replay has. */
const BETWEEN = 400;

describe('a log that was merged, and holds a registration and the creation of a key twice', () => {
  let backends: Backends;
  let service: StartedApp;
  let managementKey: string;

  beforeEach(async () => {
    backends = await freshBackends();
    service = await startApp({}, { backends });
    ({ managementKey } = service);
  });

  afterEach(async () => {
    await service.stop();
    await backends.dispose();
  });

  /** Stores the events of a type once more, in streams of their own. @returns their ids. */
  async function storeAgain(...types: readonly string[]): Promise<string[]> {
    const log = service.app.get<EventLog>(EVENT_LOG);
    const stored: StoredEvent[] = [];
    for await (const { events } of history(log, '', { types })) {
      for (const { type, version, data, metadata } of events) {
        stored.push({ id: randomUUID(), type, version, data, metadata });
      }
    }
    for (const event of stored) await log.append(`merged-${event.id}`, [event], 'no-stream');
    return stored.map(({ id }) => id);
  }

  async function shown(): Promise<unknown> {
    const client = service.client.as(managementKey);
    const paths = ['/v1/end-users?limit=100', '/v1/keys', '/v1/end-users/ada'];
    const answers = await Promise.all(paths.map((path) => client.get(path)));
    return answers.map(({ status, body }) => ({ status, body }));
  }

  it('shows the first of each, before and after its read models were deleted', async () => {
    const { client } = service;
    await client.post('/v1/end-users', { user: 'ada' });
    await client.delete('/v1/end-users/ada');
    const { data } = await createKey(client, { name: 'first' });
    await client.patch(`/v1/keys/${data.hash}`, { name: 'renamed' });
    const before = await shown();
    const ids = await storeAgain('EndUserRegistered', 'ApiKeyCreated');
    expect(ids).toHaveLength(2);
    expect(await shown()).toEqual(before);
    const other = await service.openAccount();
    await registerMany(service, other, BETWEEN);
    await storeAgain('ApiKeyCreated');
    await service.stop();
    await backends.deleteReadModels();
    service = await startApp({}, { backends });
    expect(await shown()).toEqual(before);
    expect(await service.app.get(Maintenance).verify()).toMatchObject({ differences: [] });
  });
});
