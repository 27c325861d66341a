import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WaitingReaders } from '../../src/features/audit-trail/waiting-readers.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { askFeed, latestCursor } from '../support/harness/event-feed.js';
import { eventually } from '../support/harness/eventually.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import { startApp, type StartedApp, type TestAccount } from '../support/harness/running-app.js';
import { appendUnreadable } from '../support/harness/unreadable-event.js';
import {
  createWorkspace,
  deleteWorkspace,
  workspaceExists,
} from '../support/harness/workspace-routes.js';

const QUOTA = 2;
const PROBLEM = 'they are stopped for 1 account, because an event cannot be read';

describe('an account with an event that cannot be read', () => {
  let service: StartedApp;
  let parked: TestAccount;
  let other: TestAccount;
  let event: string;

  beforeEach(async () => {
    service = await startApp({ QUOTA_API_KEYS: String(QUOTA) });
    parked = await service.openAccount();
    other = await service.openAccount();
    for (const { client } of [parked, other]) await client.post('/v1/end-users', { user: 'ada' });
    event = await appendUnreadable(service.app, 'EndUserRegistered', parked.accountId);
    await other.client.post('/v1/end-users', { user: 'bob' });
  });

  afterEach(async () => {
    await service.stop();
  });

  it('gets 503 with the reason for lists that need the event, while all other lists and accounts go on', async () => {
    expect(await other.client.get('/v1/end-users')).toMatchObject({
      status: 200,
      body: { total_count: 2 },
    });
    expect(await other.client.get('/v1/audit-events')).toMatchObject({ status: 200 });
    const paths = ['/v1/end-users', '/v1/end-users/ada', '/v1/audit-events', '/v1/events'];
    for (const path of [...paths, '/v1/events?after=latest', '/v1/events?wait=20'])
      expect(errorOf(await parked.client.get(path), 503).reason).toBe('event-unreadable');
    expect(await parked.client.get('/v1/keys')).toMatchObject({ status: 200 });
    expect(await parked.client.get('/v1/workspaces')).toMatchObject({ status: 200 });
    expect(service.logLines.join('')).toContain(`event ${event} cannot be read`);
  });

  it('gets 503 for a read of the feed that waits, and no cursor behind the event', async () => {
    const before = await latestCursor(other.client);
    const reading = askFeed(other.client, `after=${before}&wait=20`);
    await eventually('it waits', () => service.app.get(WaitingReaders).count === 1);
    await appendUnreadable(service.app, 'EndUserRegistered', other.accountId);
    expect(errorOf(await reading, 503).reason).toBe('event-unreadable');
    const again = await askFeed(other.client, `after=${before}&wait=20`);
    expect(errorOf(again, 503).reason).toBe('event-unreadable');
  });

  it('keeps a workspace while nobody knows whether it holds keys', async () => {
    const { id } = await createWorkspace(parked.client, { name: 'Team' });
    await appendUnreadable(service.app, 'ApiKeyCreated', parked.accountId);
    await createKey(parked.client, { workspace_id: id });
    const refused = await deleteWorkspace(parked.client, id);
    expect(errorOf(refused, 503).reason).toBe('event-unreadable');
    expect(await workspaceExists(parked.client, id)).toBe(true);
  });

  it('may have no more keys than its quota, of which those before the event are known', async () => {
    for (let count = 0; count < QUOTA; count += 1) await createKey(parked.client);
    expect(await parked.client.get('/v1/keys')).toMatchObject({ body: { total_count: QUOTA } });
    await appendUnreadable(service.app, 'ApiKeyCreated', parked.accountId);
    await other.client.get('/v1/keys');
    const refused = await parked.client.post('/v1/keys', { name: 'one more' });
    expect(errorOf(refused, 409).reason).toBe('quota-exceeded');
  });

  it('has none of its keys shown as disabled because their workspace is unknown', async () => {
    await appendUnreadable(service.app, 'WorkspaceCreated', parked.accountId);
    const { id } = await createWorkspace(parked.client, { name: 'Team' });
    const { data } = await createKey(parked.client, { workspace_id: id });
    const enabled = { workspace_id: id, disabled: false };
    expect(await parked.client.get(`/v1/keys/${data.hash}`)).toMatchObject({
      status: 200,
      body: { data: enabled },
    });
    expect(await parked.client.get('/v1/keys?workspace_id=all')).toMatchObject({
      status: 200,
      body: { data: [enabled] },
    });
  });

  it('leaves the service ready, whose metrics say that it is degraded', async () => {
    const of = { read_models: 'management' };
    const seen = await eventually('it is said', async () => {
      const now = await scrape(service.client);
      return now.value('keyledger_read_models_degraded', of) === 1 && now;
    });
    expect(seen.value('keyledger_ready')).toBe(1);
    const ready = await service.client.get('/health/ready');
    expect(ready.status).toBe(200);
    expect(ready.body).toEqual({ status: 'ready' });
  });

  it('is named by projections status with its event, and stays so after a rebuild by this build', async () => {
    const { settings } = service.backends;
    await other.client.get('/v1/end-users');
    const status = async (): Promise<unknown[]> => {
      const { json } = await keyledgerHere(settings, 'projections', 'status', '--json');
      return (json as { data: unknown[] }).data;
    };
    const named = expect.objectContaining({
      name: 'management',
      state: 'degraded',
      problem: PROBLEM,
      // The projections that fold registrations.
      parked: ['audit-trail', 'end-user-directory'].map((projection) =>
        expect.objectContaining({
          projection,
          account_id: parked.accountId,
          event_id: event,
          event_type: 'EndUserRegistered',
        }),
      ),
    });
    expect(await status()).toContainEqual(named);
    const forPeople = await keyledgerHere(settings, 'projections', 'status');
    expect(forPeople.stderr).toContain(
      `end-user-directory is stopped for account ${parked.accountId}: event ${event}`,
    );
    const rebuilt = await keyledgerHere(settings, 'projections', 'rebuild', 'management');
    expect(rebuilt).toMatchObject({ code: 0 });
    expect(await status()).toContainEqual(named);
    expect(await keyledgerHere(settings, 'projections', 'verify')).toMatchObject({
      code: 0,
    });
  });
});
