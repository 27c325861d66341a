import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { eventsUpToHead } from '../../src/event-sourcing/event-log/events-up-to-head.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import { CLOCK, type Clock } from '../../src/kernel/clock.js';
import { createKey } from '../support/harness/api-keys.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import type { Answer, HttpClient } from '../support/harness/http-client.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';
import {
  COMMON,
  DAY_MS,
  decimal,
  expectSameKeys,
  expectSameUsage,
  type ModelKey,
  modelKey,
  type ModelSubject,
  type RawUse,
  UsageModel,
} from '../support/harness/usage-model.js';
import {
  BEGINNINGS,
  type Item,
  KEYS,
  RESETS,
  type Step,
  step,
  USERS,
} from '../support/harness/usage-steps.js';
import { createWorkspace } from '../support/harness/workspace-routes.js';

const service = runningApp({ RATE_LIMIT_USAGE: 'off' });

const RUNS = 250;
/** No run begins after it. One that is under way ends, so that a slow machine has one at least. */
const TIME_LIMIT_MS = 10_000;

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
  readonly #budgets: readonly { readonly path: string; readonly subject: ModelSubject }[];
  #asked = 0;

  constructor(
    private readonly account: TestAccount,
    private readonly keys: readonly ModelKey[],
    private readonly foreign: string,
    private readonly workspaces: readonly string[],
    private now: number,
  ) {
    const ofUsers = USERS.map((user) => ({ path: `end-users/${user}/budget`, subject: { user } }));
    const ofWorkspaces = workspaces.map((workspace) => ({
      path: `workspaces/${workspace}/budget`,
      subject: { workspace },
    }));
    const common = { path: 'end-user-budget', subject: COMMON };
    this.#budgets = [...ofWorkspaces, ...ofUsers, common].map(({ path, subject }) => ({
      path: encodeURI(`/v1/${path}`),
      subject,
    }));
  }

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
      case 'budget':
        return this.#setBudget(taken);
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
        user: key?.user ?? item.user,
        isTimed: time !== null,
        isReversed: false,
      };
    });
    const records = uses.map(({ hash, cost, at, isTimed }, index) => {
      const { asText, byok, requests, user } = items[index] as Item;
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
    const before = await log.head();
    const id = randomUUID();
    const { uses, body } = this.#made(items);
    const answers = await Promise.all(Array.from({ length: atOnce }, () => this.#put(id, body)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array.from({ length: atOnce - 1 }, () => 200), 201]);
    const others = uses.filter(({ workspace }) => workspace === null).map(({ hash }) => hash);
    const data = { report_id: id, accepted: items.length, unattributed: [...new Set(others)] };
    for (const answer of answers) expect(answer.body).toEqual({ data });
    for await (const { events } of eventsUpToHead(log, before)) {
      // Limits that are reached are all that usage adds to this log.
      for (const { type } of events) expect(type).toMatch(/LimitReached$/);
    }
    this.#model.uses.push(...uses);
    this.#reports.push({ id, body, text: answers[0]?.text ?? '', uses });
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

  async #setBudget({ of, limit: usd, reset: limit_reset, byok }: Extract<Step, { of: number }>) {
    const { path = '', subject = COMMON } = this.#budgets[of] ?? {};
    if (usd === null) {
      expect([200, 404]).toContain((await this.#client.delete(path)).status);
      this.#model.setBudget(subject, null);
      return;
    }
    const budget = { limit: Number(usd), limit_reset, include_byok_in_limit: byok };
    expect([200, 201]).toContain((await this.#client.put(path, budget)).status);
    this.#model.setBudget(subject, { limit: usd, reset: limit_reset, byok });
  }

  async #expectSameBudgets(): Promise<void> {
    for (const { path, subject } of this.#budgets.slice(0, -1)) {
      const data = this.#model.budget(subject, this.now);
      const right = data ? { status: 200, body: { data } } : { status: 404 };
      expect({ path, ...(await this.#client.get(path)) }).toMatchObject(right);
    }
  }

  /** Every window of a workspace and of an end user is that of a budget that is reset so. */
  async expectSameWindows(): Promise<void> {
    for (const { path, subject } of this.#budgets.slice(0, -1)) {
      for (const limit_reset of RESETS) {
        const { body } = await this.#client.put(path, { limit: 1, limit_reset });
        const data = this.#model.spentIn(limit_reset, subject, this.now);
        expect({ path, limit_reset, body }).toMatchObject({ body: { data } });
      }
    }
  }

  async #patch(key: ModelKey, changes: object): Promise<void> {
    const changed = await this.#client.patch(`/v1/keys/${key.hash}`, changes);
    const data = this.#model.record(key, this.now);
    expect(changed).toMatchObject({ status: 200, body: { data } });
  }

  async expectSameKeys(): Promise<void> {
    await expectSameKeys(this.#client, this.#model, this.keys, this.now);
    await Promise.all(this.keys.map((key) => this.#expectSameDecision(key)));
    await this.#expectSameBudgets();
  }

  async expectSameUsage(): Promise<void> {
    await this.#expectSameElsewhere();
    await expectSameUsage(this.#client, this.#model, this.keys, this.now);
  }

  async #expectSameDecision(key: ModelKey): Promise<void> {
    const user = this.#nextUser();
    const verified = await this.#client.post('/v1/keys/verify', { key: key.key, user });
    const data = this.#model.verification(key, user, this.now);
    expect({ key, user, now: this.now, ...verified }).toMatchObject({ body: { data } });
  }

  /** Gives the end user whom the next question names: each of them in turn, and none. */
  #nextUser(): string | null {
    this.#asked += 1;
    return USERS[this.#asked % (USERS.length + 1)] ?? null;
  }

  /** A key is shown everywhere as it is listed. */
  async #expectSameElsewhere(): Promise<void> {
    for (const key of this.keys) {
      const asKey = this.#client.as(key.key);
      const gateway = `Bearer ${this.account.managementKey}`;
      const user = this.#nextUser();
      const named = encodeURIComponent(user ?? '');
      const [read, own, authorized] = await Promise.all([
        this.#client.get(`/v1/keys/${key.hash}`),
        asKey.get('/v1/key'),
        asKey.get(`/v1/authorize?user=${named}`, {
          headers: { 'Keyledger-Authorization': gateway },
        }),
      ]);
      expect([read.status, own.status]).toEqual(key.isDeleted ? [404, 401] : [200, 200]);
      const data = this.#model.record(key, this.now);
      if (!key.isDeleted) expect(read).toMatchObject({ body: { data } });
      const left = this.#model.authorized(key, user, this.now);
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
    for (const reset of RESETS) {
      const user = reset === 'daily' ? USERS[2] : null;
      keys.push(await modelKey(account.client, '3', reset, user));
    }
    for (const user of USERS) {
      await account.client.put(encodeURI(`/v1/end-users/${user}`), undefined);
    }
    return new Run(account, keys, foreign, workspaces, Date.parse(beginning));
  }

  it('agree after every step', async () => {
    const over = performance.now() + TIME_LIMIT_MS;
    const agree = fc.asyncProperty(
      fc.constantFrom(...BEGINNINGS),
      fc.array(step, { minLength: 15, maxLength: 30 }),
      async (beginning, steps) => {
        if (performance.now() > over) return;
        const run = await begun(beginning);
        for (const taken of steps) {
          await run.take(taken);
          await run.expectSameKeys();
        }
        await run.expectSameUsage();
        await run.expectSameWindows();
      },
    );
    await fc.assert(agree, { numRuns: RUNS, includeErrorInReport: true });
  }, 120_000);

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
