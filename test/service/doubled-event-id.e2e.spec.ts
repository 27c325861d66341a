import { join } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import Database from 'better-sqlite3';
import { auditEvents } from '../support/harness/audit-events.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { onlyOn } from '../support/harness/only-on.js';
import { type ServiceProcess, startService } from '../support/harness/service-process.js';

const embedded = onlyOn('embedded', 'an event is brought into the file of the log');

/** An event that an import or a merge may add: in the stream of the last event, with the id of the first event. */
const DOUBLED = `INSERT INTO events (stream, revision, id, type, version, data, metadata)
  SELECT stream, revision + 1, (SELECT id FROM events WHERE position = 1), 'EndUserDeactivated', 1, data,
    metadata
  FROM events ORDER BY position DESC LIMIT 1`;

embedded.describe('a log in which two events have one id', () => {
  let backends: Backends;
  let service: ServiceProcess;

  beforeEach(async () => {
    backends = await freshBackends();
    service = await startService(backends.settings);
  });

  afterEach(async () => {
    await service.stop();
    await backends.dispose();
  });

  embedded.it('stops nobody: both are told, and by the id the first one', async () => {
    expect(await service.client.post('/v1/end-users', { user: 'ada' })).toMatchObject({
      status: 201,
    });
    const before = await auditEvents(service.client);
    const { managementKey } = service;
    await service.stop();
    const log = new Database(join(backends.dataDir, 'events.db'));
    log.exec(DOUBLED);
    log.close();
    service = await startService({
      ...backends.settings,
      BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    });
    const after = await auditEvents(service.client);
    const [doubled, ...others] = after;
    expect(others).toEqual(before);
    const first = before.at(-1);
    expect(doubled).toMatchObject({ id: first?.id, action: 'end-user.deactivated' });
    const one = await service.client.get(`/v1/audit-events/${first?.id ?? ''}`);
    expect(one).toMatchObject({ status: 200, body: { data: first } });
    expect(await service.client.get('/health/ready')).toMatchObject({ status: 200 });
  });
});
