import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import { CLOCK, type Clock } from '../../src/kernel/clock.js';
import { createKey } from '../support/harness/api-keys.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import type { Answer, HttpClient } from '../support/harness/http-client.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';
import {
  DAY_MS,
  decimal,
  expectSameKeys,
  expectSameUsage,
  type ModelKey,
  modelKey,
  type RawUse,
  UsageModel,
} from '../support/harness/usage-model.js';
import { createWorkspace } from '../support/harness/workspace-routes.js';

const service = runningApp({ RATE_LIMIT_USAGE: 'off' });

const RUNS = 250;
const TIME_LIMIT_MS = 10_000;
const MINUTE_MS = 60_000;
const OLDEST_MS = 35 * DAY_MS;
const AHEAD_MS = 5 * MINUTE_MS;

/**
 * Moments before an end of a day, a week, a month or a year, in leap years and in years of 53
 * weeks.
 */
const BEGINNINGS = [
  '2024-02-28T23:58:00.000Z',
  '2024-02-29T23:57:59.999Z',
  '2023-02-28T23:59:59.999Z',
  '2020-12-31T23:56:00.000Z',
  '2021-01-03T23:59:00.000Z',
  '2026-12-27T23:59:59.000Z',
  '2027-01-03T12:00:00.000Z',
  '2025-08-31T23:55:30.000Z',
  '2026-03-01T00:00:00.000Z',
];

/** Keys in turn: four of the account, an unknown one, and one of another account. */
const KEYS = 6;
const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 3_000_000_000n }),
  fc.constantFrom(0n, 1n, 300_000_000n, 10n ** 15n),
);
const reset = fc.constantFrom('daily', 'weekly', 'monthly', null);
const limit = fc.constantFrom('0', '0.3', '1', '2.5', '4', '1000000', '0.3000000001', null);
const ownKey = fc.nat({ max: KEYS - 3 });

/** A record: the time is in milliseconds after now, and midnights are what is near to them. */
const record = fc.record({
  key: fc.nat({ max: KEYS - 1 }),
  cost: amount,
  byok: fc.option(amount),
  asText: fc.boolean(),
  requests: fc.option(fc.nat({ max: 1_000_000 })),
  after: fc.option(
    fc.oneof(
      fc.constantFrom(0, -1, AHEAD_MS, -OLDEST_MS, -DAY_MS, -7 * DAY_MS),
      fc.integer({ min: -40 * MINUTE_MS, max: AHEAD_MS }),
      fc.integer({ min: -OLDEST_MS, max: AHEAD_MS }),
    ),
  ),
  user: fc.option(fc.constantFrom('ada', 'ben', 'Ångström')),
});
type Item = typeof record extends fc.Arbitrary<infer Value> ? Value : never;

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('report' as const),
      items: fc.array(record, { minLength: 1, maxLength: 5 }),
      atOnce: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('repeat' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('reverse' as const), which: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('late' as const),
      item: record,
      after: fc.constantFrom(AHEAD_MS + 1, -OLDEST_MS - 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('clock' as const),
      to: fc.oneof(
        fc.constantFrom('just before midnight', 'midnight', 'Monday', 'the 1st'),
        fc.constantFrom(1, 2 * MINUTE_MS, DAY_MS, 36 * DAY_MS),
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('change' as const),
      key: ownKey,
      limit: fc.option(limit, { nil: undefined }),
      reset: fc.option(reset, { nil: undefined }),
      byok: fc.option(fc.boolean(), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('move' as const), key: ownKey }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('delete' as const), key: ownKey }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Report {
  readonly id: string;
  readonly body: { readonly records: readonly object[] };
  readonly text: string;
  readonly uses: readonly RawUse[];
}

/** An account of the service beside its model. */
class Run {
  readonly #model = new UsageModel();
  readonly #reports: Report[] = [];

  constructor(
    private readonly account: TestAccount,
    private readonly keys: readonly ModelKey[],
    private readonly foreign: string,
    private readonly workspaces: readonly string[],
    private now: number,
  ) {}

  get #client(): HttpClient {
    return this.account.client;
  }

  async take(taken: Step): Promise<void> {
    switch (taken.type) {
      case 'report':
        return this.#report(taken.items, taken.atOnce);
      case 'repeat':
        return this.#repeat(taken.which);
      case 'reverse':
        return this.#reverse(taken.which);
      case 'late': {
        const { body } = this.#made([taken.item], taken.after);
        expect(await this.#put(randomUUID(), body)).toMatchObject({ status: 400 });
        return;
      }
      case 'clock':
        this.#advance(taken.to);
        return;
      case 'change':
        return this.#change(taken);
      case 'move': {
        const key = this.#key(taken.key);
        const other = this.workspaces.find((id) => id !== key?.workspace) ?? '';
        if (key && !key.isDeleted) {
          await this.#patch(key, { workspace_id: other });
          key.workspace = other;
        }
        return;
      }
      case 'delete': {
        const key = this.#key(taken.key);
        if (key) await this.#client.delete(`/v1/keys/${key.hash}`);
        if (key) key.isDeleted = true;
      }
    }
  }

  #key(index: number): ModelKey | undefined {
    return this.keys[index];
  }

  #put(id: string, body: object): Promise<Answer> {
    return this.#client.send('PUT', `/v1/usage-reports/${id}`, { body });
  }

  /** Makes the body of a report, and its records for the model. */
  #made(items: readonly Item[], after?: number) {
    const uses = items.map((item) => {
      const key = this.#key(item.key);
      const time = after ?? item.after;
      return {
        hash: key?.hash ?? (item.key === KEYS - 1 ? this.foreign : UNKNOWN_HASH),
        workspace: key && !key.isDeleted ? key.workspace : null,
        cost: item.cost,
        byok: item.byok ?? 0n,
        requests: item.requests ?? 1,
        at: this.now + (time ?? 0),
        user: item.user,
        isTimed: time !== null,
        isReversed: false,
      };
    });
    const records = uses.map(({ hash, cost, at, user, isTimed }, index) => {
      const { asText, byok, requests } = items[index] as Item;
      const usd = (value: bigint) => (asText ? decimal(value) : Number(decimal(value)));
      return {
        key_hash: hash,
        cost: usd(cost),
        byok_cost: byok === null ? null : usd(byok),
        ...(requests !== null && { requests }),
        occurred_at: isTimed ? new Date(at).toISOString() : null,
        ...(user !== null && { user }),
      };
    });
    return { uses, body: { records } };
  }

  async #report(items: readonly Item[], atOnce: number): Promise<void> {
    const log = service.app.get<EventLog>(MANAGEMENT.log);
    const before = [await log.head(), await this.#newestInTrail()];
    const id = randomUUID();
    const { uses, body } = this.#made(items);
    const answers = await Promise.all(Array.from({ length: atOnce }, () => this.#put(id, body)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array.from({ length: atOnce - 1 }, () => 200), 201]);
    const others = uses.filter(({ workspace }) => workspace === null).map(({ hash }) => hash);
    const data = { report_id: id, accepted: items.length, unattributed: [...new Set(others)] };
    for (const answer of answers) expect(answer.body).toEqual({ data });
    expect([await log.head(), await this.#newestInTrail()]).toEqual(before);
    this.#model.uses.push(...uses);
    this.#reports.push({ id, body, text: answers[0]?.text ?? '', uses });
  }

  async #newestInTrail(): Promise<unknown> {
    return (await this.#client.get('/v1/audit-events?limit=1')).body;
  }

  async #repeat(which: number): Promise<void> {
    const report = this.#reports[which % this.#reports.length];
    if (!report) return;
    const { id, body, text, uses } = report;
    const isReversed = uses.some((use) => use.isReversed);
    const right = isReversed ? { status: 409 } : { status: 200, text };
    expect(await this.#put(id, body)).toMatchObject(right);
    const other = { records: [...body.records, ...body.records] };
    expect(await this.#put(id, other)).toMatchObject({ status: 409 });
  }

  async #reverse(which: number): Promise<void> {
    const report = this.#reports[which % this.#reports.length];
    if (!report) return;
    const path = `/v1/usage-reports/${report.id}`;
    const answers = await Promise.all([this.#client.delete(path), this.#client.delete(path)]);
    for (const use of report.uses) use.isReversed = true;
    const { body } = await this.#client.get(path);
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body });
  }

  #advance(to: string | number): void {
    const isThere = (time: number): boolean =>
      to === 'Monday'
        ? new Date(time).getUTCDay() === 1
        : to !== 'the 1st' || new Date(time).getUTCDate() === 1;
    if (typeof to === 'number') this.now += to;
    else {
      this.now += DAY_MS - (this.now % DAY_MS);
      while (!isThere(this.now)) this.now += DAY_MS;
      if (to === 'just before midnight') this.now += DAY_MS - 1;
    }
    setClock(this.now);
  }

  async #change(change: Extract<Step, { type: 'change' }>): Promise<void> {
    const key = this.#key(change.key);
    if (!key || key.isDeleted) return;
    if (change.limit !== undefined) key.limit = change.limit;
    if (change.reset !== undefined) key.reset = change.reset;
    if (change.byok !== undefined) key.byok = change.byok;
    await this.#patch(key, {
      limit: key.limit === null ? null : Number(key.limit),
      limit_reset: key.reset,
      include_byok_in_limit: key.byok,
    });
  }

  async #patch(key: ModelKey, changes: object): Promise<void> {
    const changed = await this.#client.patch(`/v1/keys/${key.hash}`, changes);
    const data = this.#model.record(key, this.now);
    expect(changed).toMatchObject({ status: 200, body: { data } });
  }

  async expectSameKeys(): Promise<void> {
    await expectSameKeys(this.#client, this.#model, this.keys, this.now);
    await Promise.all(this.keys.map((key) => this.#expectSameDecision(key)));
  }

  async expectSameUsage(): Promise<void> {
    await this.#expectSameElsewhere();
    await expectSameUsage(this.#client, this.#model, this.keys, this.now);
  }

  async #expectSameDecision(key: ModelKey): Promise<void> {
    const verified = await this.#client.post('/v1/keys/verify', { key: key.key });
    const data = this.#model.verification(key, this.now);
    expect({ key, now: this.now, ...verified }).toMatchObject({ body: { data } });
  }

  /** A key is shown everywhere as it is listed. */
  async #expectSameElsewhere(): Promise<void> {
    for (const key of this.keys) {
      const asKey = this.#client.as(key.key);
      const gateway = `Bearer ${this.account.managementKey}`;
      const [read, own, authorized] = await Promise.all([
        this.#client.get(`/v1/keys/${key.hash}`),
        asKey.get('/v1/key'),
        asKey.get('/v1/authorize', { headers: { 'Keyledger-Authorization': gateway } }),
      ]);
      expect([read.status, own.status]).toEqual(key.isDeleted ? [404, 401] : [200, 200]);
      const data = this.#model.record(key, this.now);
      if (!key.isDeleted) expect(read).toMatchObject({ body: { data } });
      const left = this.#model.authorized(key, this.now);
      expect(authorized.headers.get('keyledger-limit-remaining')).toBe(left);
    }
  }
}

function setClock(now: number): void {
  jest.spyOn(service.app.get<Clock>(CLOCK), 'now').mockImplementation(() => new Date(now));
}

describe('usage and a model that recounts it from raw records', () => {
  let foreign: string;

  beforeAll(async () => {
    const other = await service.openAccount();
    foreign = (await createKey(other.client)).data.hash;
  });

  async function begun(beginning: string): Promise<Run> {
    setClock(Date.parse(beginning));
    const account = await service.openAccount();
    const { id } = await createWorkspace(account.client);
    await account.client.post(`/v1/workspaces/${id}/members/add`, { user_ids: [account.userId] });
    const workspaces = [account.defaultWorkspaceId, id];
    const keys: ModelKey[] = [];
    for (const reset of [null, 'daily', 'weekly', 'monthly'] as const) {
      keys.push(await modelKey(account.client, '3', reset));
    }
    return new Run(account, keys, foreign, workspaces, Date.parse(beginning));
  }

  it('agree after every step', async () => {
    const agree = fc.asyncProperty(
      fc.constantFrom(...BEGINNINGS),
      fc.array(step, { minLength: 15, maxLength: 30 }),
      async (beginning, steps) => {
        const run = await begun(beginning);
        for (const taken of steps) {
          await run.take(taken);
          await run.expectSameKeys();
        }
        await run.expectSameUsage();
      },
    );
    await fc.assert(agree, {
      numRuns: RUNS,
      interruptAfterTimeLimit: TIME_LIMIT_MS,
      includeErrorInReport: true,
    });
  }, 60_000);

  it('agree that ten thousand uses of 0.0001 USD cost 1 USD', async () => {
    const { client } = await service.openAccount();
    const { hash } = (await createKey(client, { limit: 1 })).data;
    const records = Array.from({ length: 1_000 }, () => ({ key_hash: hash, cost: 0.0001 }));
    for (let count = 0; count < 10; count += 1) {
      const verified = await client.post('/v1/keys/verify', { hash });
      expect(verified.body).toMatchObject({ data: { code: 'VALID' } });
      const path = `/v1/usage-reports/${randomUUID()}`;
      expect(await client.send('PUT', path, { body: { records } })).toMatchObject({ status: 201 });
    }
    const verified = await client.post('/v1/keys/verify', { hash });
    expect(verified.body).toMatchObject({
      data: { code: 'LIMIT_EXCEEDED', exceeded: { usage: 1 } },
    });
    const read = await client.get(`/v1/keys/${hash}`);
    expect(read.body).toMatchObject({ data: { usage: 1, limit_remaining: 0 } });
  });
});
