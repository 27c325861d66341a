import { describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '../../src/features/audit-trail/domain/audit-event.js';
import { createKey, type CreatedKey } from '../support/harness/api-keys.js';
import { auditEvents } from '../support/harness/audit-events.js';
import { eventually } from '../support/harness/eventually.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import { reportUsage } from '../support/harness/report-usage.js';
import { accountOfEach, runningApp } from '../support/harness/running-app.js';

describe('a limit that is reached', () => {
  const service = runningApp();
  const account = accountOfEach(service);

  const spend = (cost: string, { data }: CreatedKey, user: string | null = null) =>
    reportUsage(account.client, { key_hash: data.hash, cost, user });
  const verify = ({ key }: CreatedKey) => account.client.post('/v1/keys/verify', { key });
  const told = () => auditEvents(account.client, 'actor=limits');
  const toldSoon = (count: number) =>
    eventually(`${count} events`, async () => {
      const events = await told();
      return events.length >= count && events;
    });

  it('is in the audit trail, done by the service itself, once a report takes it over a threshold', async () => {
    const created = await createKey(account.client, {
      name: 'Search',
      limit: 2.5,
      limit_reset: 'monthly',
    });
    await verify(created);
    await spend('1.999999999', created);
    await spend('0.000000002', created);
    const [event] = await toldSoon(1);
    expect(event).toMatchObject({
      action: 'key.limit-reached',
      actor: { type: 'system', id: 'limits', user_id: null },
      target: { type: 'key', id: created.data.hash, name: 'Search' },
      request_id: null,
      trace_id: null,
    });
    const month = new Date().toISOString().slice(0, 7);
    expect(event?.changes).toEqual([
      { field: 'threshold', before: null, after: 80 },
      { field: 'limit', before: null, after: 2.5 },
      { field: 'spent', before: null, after: 2.000000001 },
      { field: 'limit_reset', before: null, after: 'monthly' },
      { field: 'window_start', before: null, after: `${month}-01T00:00:00.000Z` },
      {
        field: 'resets_at',
        before: null,
        after: expect.stringMatching(/-01T00:00:00\.000Z$/) as unknown,
      },
    ]);
    const counted = { kind: 'key', threshold: '80' };
    expect((await scrape(service.client)).value('keyledger_limits_reached_total', counted)).toBe(1);
  });

  it('is not noticed before somebody asks about it, and then once for each threshold', async () => {
    const created = await createKey(account.client, { limit: 1 });
    await spend('1', created);
    expect(await told()).toEqual([]);
    for (let times = 0; times < 3; times++) await verify(created);
    await account.client.send('GET', '/v1/key', { key: created.key });
    const events = await toldSoon(2);
    const other = await createKey(account.client, { limit: 1 });
    await spend('1', other);
    await verify(other);
    await toldSoon(4);
    // The audit trail is newest first.
    expect(events.map(({ changes }) => changes[0]?.after)).toEqual([100, 80]);
    expect(await told()).toHaveLength(4);
  });

  it('is that of the workspace and of a registered end user too', async () => {
    const { client, defaultWorkspaceId } = account;
    const user = 'ada & co';
    const path = encodeURIComponent(user);
    await client.put(`/v1/workspaces/${defaultWorkspaceId}/budget`, { limit: 10 });
    await client.put('/v1/end-user-budget', { limit: 5, limit_reset: 'daily' });
    const created = await createKey(client);
    const verifyFor = (named: string) =>
      client.post('/v1/keys/verify', { key: created.key, user: named });
    await verifyFor(user);
    await verifyFor('invented');
    await spend('4', created, user);
    await spend('4', created, 'invented');
    const [ofWorkspace] = await toldSoon(1);
    expect(ofWorkspace).toMatchObject({
      action: 'workspace.limit-reached',
      target: { type: 'workspace', id: defaultWorkspaceId },
    });
    await client.put(`/v1/end-users/${path}`, {});
    await verifyFor(user);
    const [ofUser] = await toldSoon(2);
    expect(ofUser).toMatchObject({
      action: 'end-user.limit-reached',
      target: { type: 'end-user', id: user },
    });
    await verifyFor('invented');
    await spend('1', created, user);
    await toldSoon(3);
    expect(targetsOf(await told())).toEqual(['end-user 100', 'end-user 80', 'workspace 80']);
  });

  it('is the limit that was set last, asked about since or not', async () => {
    const { client, defaultWorkspaceId } = account;
    const created = await createKey(client, { limit: 10 });
    const budget = `/v1/workspaces/${defaultWorkspaceId}/budget`;
    await client.put(budget, { limit: 10 });
    await verify(created);
    await client.patch(`/v1/keys/${created.data.hash}`, { limit: 100 });
    await client.put(budget, { limit: 9 });
    await spend('8', created);
    expect(targetsOf(await toldSoon(1))).toEqual(['workspace 80']);
    await client.delete(budget);
    await client.patch(`/v1/keys/${created.data.hash}`, { limit: 8 });
    expect(targetsOf(await toldSoon(3))).toEqual(['key 100', 'key 80', 'workspace 80']);
    await spend('8', created);
    await verify(created);
    expect(await told()).toHaveLength(3);
  });

  it('is the common limit again for an end user whose own was removed', async () => {
    const { client } = account;
    const created = await createKey(client);
    await client.put('/v1/end-users/ada', {});
    await client.put('/v1/end-user-budget', { limit: 10 });
    await client.put('/v1/end-users/ada/budget', { limit: 100 });
    await client.post('/v1/keys/verify', { key: created.key, user: 'ada' });
    await client.delete('/v1/end-users/ada/budget');
    await spend('8', created, 'ada');
    expect(targetsOf(await toldSoon(1))).toEqual(['end-user 80']);
  });
});

/** Gives the kinds and the thresholds of events, newest first as they are. */
function targetsOf(events: readonly AuditEvent[]): string[] {
  return events.map(({ target, changes }) => `${target.type} ${String(changes[0]?.after)}`);
}
