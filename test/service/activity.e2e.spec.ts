import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { DecisionRunner } from '../../src/event-sourcing/decisions/decision-runner.js';
import type { ReadModels } from '../../src/event-sourcing/projections/read-models.js';
import type { ActivityRecord } from '../../src/features/usage/activity.fields.js';
import { reportEventData } from '../../src/features/usage/domain/report-event.js';
import { contentHash, type UsageRecord } from '../../src/features/usage/domain/usage-record.js';
import {
  reportUsage,
  usageReport,
  usageReportId,
} from '../../src/features/usage/domain/accepted-once.js';
import { USAGE } from '../../src/event-sourcing/ledger.js';
import { CLOCK, type Clock } from '../../src/kernel/clock.js';
import { createKey } from '../support/harness/api-keys.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import { expectInvalid } from '../support/harness/error-of.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import type { Answer, HttpClient } from '../support/harness/http-client.js';
import {
  accountOf,
  OPERATOR,
  runningApp,
  type TestAccount,
} from '../support/harness/running-app.js';
import { recordOf } from '../support/histories/usage.js';
import { atOnce } from '../support/specs/at-once.js';

const service = runningApp();

const NDJSON = { headers: { Accept: 'application/x-ndjson' } };
const IN_MARCH = 'from=2026-03-01&to=2026-03-31';

interface ActivityPage {
  readonly data: readonly ActivityRecord[];
  readonly next_cursor: string | null;
}

const activityOf = (
  { client }: { client: HttpClient },
  query = IN_MARCH,
  call = {},
): Promise<Answer<ActivityPage>> => client.get<ActivityPage>(`/v1/activity?${query}`, call);

/** Stores a report about keys in the default workspace of an account. */
async function report(
  { accountId, defaultWorkspaceId }: TestAccount,
  keys: readonly string[],
  ...records: readonly UsageRecord[]
): Promise<void> {
  const report_id = randomUUID();
  const named = { account_id: accountId, report_id, content_hash: atOnce(contentHash(records)) };
  const inDefault = { workspace_id: defaultWorkspaceId, external_user: null };
  const known = keys.map((hash) => [hash, { hash, ...inDefault }] as const);
  const report = { ...named, records, keys: new Map(known) };
  const data = atOnce(reportEventData(report, '2026-03-04T12:00:00.000Z'));
  await service.app.get<DecisionRunner>(USAGE.runner).run({
    aggregate: usageReport,
    id: usageReportId(accountId, report_id),
    accountId,
    origin: OPERATOR,
    decide: () => reportUsage(data),
  });
}

describe('the activity over HTTP', () => {
  const account = accountOf(service);
  const other = accountOf(service, 'individual');
  /** The hash of a key that was deleted after it was used. */
  let hash: string;

  beforeAll(async () => {
    ({
      data: { hash },
    } = await createKey(account.client, { name: 'first' }));
    const [day, ada] = ['2026-03-05T10:00:00.000Z', 'ada'];
    const use = { key_hash: hash, byok_cost: 2_000_000_001n, requests: 3, user: ada };
    await report(
      account,
      [hash],
      recordOf(use),
      recordOf({ ...use, user: 'zoe & co', occurred_at: day, cost: 100_000_000n }),
      recordOf({ ...use, user: null, occurred_at: day, cost: 200_000_000n }),
      recordOf({ key_hash: UNKNOWN_HASH }),
    );
    await account.client.delete(`/v1/keys/${hash}`);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const byKey = (date: string, usage: number, byok_usage: number, requests: number) => ({
    date,
    api_key_hash: hash,
    user: null,
    workspace_id: account.defaultWorkspaceId,
    usage,
    byok_usage,
    requests,
  });

  it('has what was reported by day and key, after a deletion of the key too', async () => {
    const { status, headers, body } = await activityOf(account);
    expect(status).toBe(200);
    expect(headers.get('keyledger-stale')).toBeNull();
    const unattributed = { api_key_hash: null, workspace_id: null };
    const right = [
      byKey('2026-03-05', 0.3, 4.000000002, 6),
      byKey('2026-03-04', 1, 2.000000001, 3),
      { ...byKey('2026-03-04', 1, 0, 1), ...unattributed },
    ];
    expect(body).toEqual({ data: right, next_cursor: null });
    expect((await activityOf(account, `workspace_id=all&${IN_MARCH}`)).body).toEqual(body);
    for (const query of [
      `api_key_hash=${hash.toUpperCase()}`,
      `workspace_id=${account.defaultWorkspaceId.toUpperCase()}`,
      `api_key_hash=${hash}&workspace_id=${account.defaultWorkspaceId}`,
    ]) {
      const found = await activityOf(account, `${query}&${IN_MARCH}`);
      expect(found.body).toEqual({ data: right.slice(0, 2), next_cursor: null });
    }
    const oneDay = await activityOf(account, 'from=2026-03-05&to=2026-03-05');
    expect(oneDay.body.data).toEqual(right.slice(0, 1));
  });

  it('has it by day and user', async () => {
    const { body } = await activityOf(account, `group_by=user&${IN_MARCH}`);
    expect(body.data.map(({ date, user, usage }) => [date, user, usage])).toEqual([
      ['2026-03-05', 'zoe & co', 0.1],
      ['2026-03-05', null, 0.2],
      ['2026-03-04', 'ada', 1],
      ['2026-03-04', null, 1],
    ]);
    expect(body.data[0]).toMatchObject({ api_key_hash: null, workspace_id: null });
    const ofUser = await activityOf(account, `group_by=user&user=zoe%20%26%20co&${IN_MARCH}`);
    expect(ofUser.body).toEqual({ data: body.data.slice(0, 1), next_cursor: null });
  });

  it('has it by day and workspace, and by day', async () => {
    const { body } = await activityOf(account, `group_by=workspace&${IN_MARCH}`);
    const { defaultWorkspaceId: home } = account;
    expect(body.data.map((row) => [row.date, row.workspace_id, row.usage, row.requests])).toEqual([
      ['2026-03-05', home, 0.3, 6],
      ['2026-03-04', home, 1, 3],
      ['2026-03-04', null, 1, 1],
    ]);
    const byDay = await activityOf(account, `group_by=day&${IN_MARCH}`);
    const nulls = { api_key_hash: null, user: null, workspace_id: null };
    expect(byDay.body.data).toMatchObject([
      { date: '2026-03-05', ...nulls, usage: 0.3, byok_usage: 4.000000002, requests: 6 },
      { date: '2026-03-04', ...nulls, usage: 2, byok_usage: 2.000000001, requests: 4 },
    ]);
    const inHome = await activityOf(account, `group_by=day&workspace_id=${home}&${IN_MARCH}`);
    expect(inHome.body.data).toMatchObject([
      { date: '2026-03-05', ...nulls, usage: 0.3 },
      { date: '2026-03-04', ...nulls, usage: 1 },
    ]);
  });

  it('comes in pages, whose cursor carries the query', async () => {
    const query = `group_by=user&${IN_MARCH}`;
    const all = (await activityOf(account, query)).body.data;
    const found: ActivityRecord[] = [];
    let next = `${query}&limit=1`;
    for (;;) {
      const { data, next_cursor } = (await activityOf(account, next)).body;
      expect(data).toHaveLength(1);
      found.push(...data);
      if (next_cursor === null) break;
      const again = `cursor=${next_cursor}&limit=1`;
      next = found.length % 2 === 0 ? again : `${again}&${query}`;
    }
    expect(found).toEqual(all);
    const { next_cursor } = (await activityOf(account, `${query}&limit=3`)).body;
    const cursor = `cursor=${next_cursor ?? ''}`;
    expectInvalid(await activityOf(account, `${cursor}&to=2026-03-30`), account, 'to');
    expectInvalid(
      await activityOf(account, `${cursor}&group_by=key&user=ada`),
      account,
      'group_by',
      'user',
    );
    expectInvalid(await activityOf(other, cursor), other, 'cursor');
    const lines = await activityOf(account, cursor, NDJSON);
    expect(lines.text).toBe(linesOf(all));
  });

  it.each([
    ['from', 'from=2026-02-30'],
    ['to', 'to=2026-03-01T00:00:00Z'],
    ['from', 'from=2026-03-02&to=2026-03-01'],
    ['group_by', 'group_by=month'],
    ['api_key_hash', 'api_key_hash=abc'],
    ['workspace_id', 'workspace_id=ALL'],
    ['workspace_id', 'workspace_id=default'],
    ['workspace_id', 'workspace_id='],
    ['user', 'group_by=user&user=%20a'],
    ['user', 'user=ada'],
    ['user', 'group_by=day&user=ada'],
    ['api_key_hash', `group_by=workspace&api_key_hash=${UNKNOWN_HASH}`],
    ['api_key_hash', `group_by=user&api_key_hash=${UNKNOWN_HASH}`],
    ['limit', 'limit=1001'],
    ['cursor', 'cursor=x'],
    ['to', 'to=2026-03-01&to=2026-03-01'],
    ['offset', 'offset=1'],
  ])('refuses a wrong %s: %s', async (path, query) => {
    expectInvalid(await activityOf(account, query), account, path);
  });

  it('is empty for what is unknown, and for another account', async () => {
    const empty = { data: [], next_cursor: null };
    for (const query of [
      `api_key_hash=${UNKNOWN_HASH}`,
      `workspace_id=${randomUUID()}`,
      'group_by=user&user=nobody',
    ]) {
      expect((await activityOf(account, `${query}&${IN_MARCH}`)).body).toEqual(empty);
    }
    for (const query of ['', 'group_by=user', `api_key_hash=${hash}`]) {
      const { status, body } = await activityOf(other, `${query}&${IN_MARCH}`);
      expect({ status, body }).toEqual({ status: 200, body: empty });
      expect((await activityOf(other, `${query}&${IN_MARCH}`, NDJSON)).text).toBe('');
    }
  });

  it('is of 30 days to today, unless the query says otherwise', async () => {
    const now = jest.spyOn(service.app.get<Clock>(CLOCK), 'now');
    for (const [today, dates] of [
      ['2026-03-04T00:00:00.000Z', ['2026-03-04', '2026-03-04']],
      ['2026-04-02T23:59:59.999Z', ['2026-03-05', '2026-03-04', '2026-03-04']],
      ['2026-04-03T00:00:00.000Z', ['2026-03-05']],
      ['2026-04-04T00:00:00.000Z', []],
    ] as const) {
      now.mockReturnValue(new Date(today));
      const { body } = await activityOf(account, '');
      expect(body.data.map(({ date }) => date)).toEqual(dates);
    }
  });

  it('comes as a stream of all that matches', async () => {
    for (const query of [
      IN_MARCH,
      `group_by=user&${IN_MARCH}`,
      `api_key_hash=${hash}&${IN_MARCH}`,
    ]) {
      const { data } = (await activityOf(account, query)).body;
      const { headers, text } = await activityOf(account, `${query}&limit=1`, NDJSON);
      expect(headers.get('content-type')).toBe('application/x-ndjson');
      expect(text).toBe(linesOf(data));
    }
  });

  it('counts a use for the end user of its key, whomever a report names, and measures each end user once', async () => {
    const { client } = await service.openAccount();
    const [made, plain] = await Promise.all([
      createKey(client, { external: { user: 'dan' } }),
      createKey(client),
    ]);
    const records = [made, plain].map(({ data }) => ({
      key_hash: data.hash,
      cost: 1,
      user: 'ada',
    }));
    const measured = async () => (await scrape(service.client)).value('keyledger_users_reported');
    await activityOf({ client });
    const before = (await measured()) ?? NaN;
    const sent = Array.from({ length: 2 }, () => `/v1/usage-reports/${randomUUID()}`);
    for (const path of [...sent, ...sent]) await client.send('PUT', path, { body: { records } });
    const { data } = (await activityOf({ client }, 'group_by=user')).body;
    expect(data.map(({ user, usage }) => [user, usage])).toEqual([
      ['ada', 2],
      ['dan', 2],
    ]);
    expect(await measured()).toBe(before + 2);
  });

  it('says when it may lack reports that were answered', async () => {
    const models = service.app.get<ReadModels>(USAGE.models);
    jest.spyOn(models.wait, 'forWrites').mockResolvedValue(false);
    for (const call of [{}, NDJSON]) {
      const { status, headers } = await activityOf(account, IN_MARCH, call);
      expect({ status, stale: headers.get('keyledger-stale') }).toEqual({
        status: 200,
        stale: 'true',
      });
    }
  });
});

function linesOf(rows: readonly ActivityRecord[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
