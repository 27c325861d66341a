import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createKey, type CreatedKey } from '../support/harness/api-keys.js';
import { auditEvents } from '../support/harness/audit-events.js';
import { eventually } from '../support/harness/eventually.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import { accountOfEach, runningApp } from '../support/harness/running-app.js';

/** A limit that was asked about is reported within this time after the report. */
const WITHIN_MS = 1_000;

describe('a limit that is reached', () => {
  const service = runningApp();
  const account = accountOfEach(service);

  async function spend(cost: string, { data: { hash } }: CreatedKey): Promise<void> {
    const body = { records: [{ key_hash: hash, cost }] };
    const path = `/v1/usage-reports/${randomUUID()}`;
    expect(await account.client.send('PUT', path, { body })).toMatchObject({ status: 201 });
  }

  const verify = ({ key }: CreatedKey) => account.client.post('/v1/keys/verify', { key });
  const told = () => auditEvents(account.client, 'actor=limits');
  const toldSoon = (count: number) =>
    eventually(
      `${count} events`,
      async () => {
        const events = await told();
        return events.length >= count && events;
      },
      WITHIN_MS,
    );

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
});
