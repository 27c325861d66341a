import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Maintenance } from '../../../src/event-sourcing/projections/maintenance/maintenance.js';
import { withoutAnIndex } from '../../support/backends/backed-by-an-index.js';
import { CommandGate } from '../../support/backends/command-gate.js';
import { SimulatorProcess } from '../../support/backends/eventstoredb-simulator/simulator-process.js';
import type { Command } from '../../support/backends/wire-messages.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { createKey } from '../../support/harness/api-keys.js';
import { auditEvents } from '../../support/harness/audit-events.js';
import { type StartedApp, startApp } from '../../support/harness/running-app.js';
import { createWorkspace } from '../../support/harness/workspace-routes.js';
import { MANAGEMENT } from '../../../src/event-sourcing/ledger.js';

const USERS = 12;
/** The time for all kinds of requests and a rebuild. */
const ALL_OF_IT_MS = 120_000;

describeOnMongoDb('what the service asks MongoDB for', (server) => {
  let log: SimulatorProcess;
  let gate: CommandGate;
  let service: StartedApp;
  let commands: readonly Command[];

  beforeAll(async () => {
    gate = await CommandGate.open(server().freshUri());
    log = await SimulatorProcess.start();
    service = await startApp({
      EVENTSTOREDB_CONNECTION_STRING: log.connectionString,
      MONGODB_URI: gate.uri,
    });
    await everyKindOfRequest();
    const maintenance = service.app.get<Maintenance>(MANAGEMENT.maintenance);
    await maintenance.status();
    await maintenance.rebuild();
    await maintenance.verify();
    commands = gate.seen;
  }, ALL_OF_IT_MS);

  afterAll(async () => {
    await service.stop();
    gate.close();
    await log.stop();
  });

  async function read(...paths: string[]): Promise<void> {
    for (const path of paths) {
      const { status, text } = await service.client.get(path);
      expect({ path, status, text }).toMatchObject({ status: 200 });
    }
  }

  async function everyKindOfRequest(): Promise<void> {
    const { client } = service;
    for (let number = 0; number < USERS; number++) {
      await client.post('/v1/end-users', { user: `user-${number}` });
    }
    await client.delete('/v1/end-users/user-3');
    const users = '/v1/end-users';
    await read(
      ...[users, `${users}?limit=3&offset=5`, `${users}?user=user-1`, `${users}/user-2`],
      ...[`${users}?include_inactive=true&limit=4&offset=2`],
    );
    const { id } = await createWorkspace(client, { slug: 'a-team' });
    const { data } = await createKey(client, { workspace_id: id, external: { user: 'ada' } });
    await createKey(client);
    await client.patch(`/v1/keys/${data.hash}`, { disabled: true, limit: 3 });
    const keys = '/v1/keys';
    await read(
      ...[keys, `${keys}?workspace_id=${id}`, `${keys}?workspace_id=all&offset=1`],
      ...[`${keys}?workspace_id=all&include_disabled=true`, `${keys}/${data.hash}`, '/v1/key'],
    );
    await client.delete(`/v1/keys/${data.hash}`);
    await read('/v1/workspaces', '/v1/workspaces/a-team', `/v1/workspaces/${id}/members`);
    await client.delete(`/v1/workspaces/${id}`);
    const [newest] = await auditEvents(client, 'limit=5');
    const trail = '/v1/audit-events';
    await read(
      ...[`${trail}/${newest?.id ?? ''}`, `${trail}?action=key.created&limit=1`],
      ...[`${trail}?target_type=key`, `${trail}?target_type=key&target_id=${data.hash}`],
      ...[
        `${trail}?actor=${newest?.actor.id ?? ''}`,
        `${trail}?target_type=workspace&target_id=${id}`,
      ],
      `${trail}?from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z&action=end-user.registered`,
    );
  }

  it('is found by an index of the service, at every request', () => {
    const searches = commands.filter(({ name }) => name === 'find' || name === 'aggregate');
    expect(searches.length).toBeGreaterThan(100);
    expect([...new Set(withoutAnIndex(commands))]).toEqual([]);
  });
});
