import { expect } from '@jest/globals';
import {
  type Group,
  GROUPS,
} from '../../../src/features/usage/activity-directory/activity-filter.js';
import type { ActivityRecord } from '../../../src/features/usage/activity.fields.js';
import { createKey } from './api-keys.js';
import type { HttpClient } from './http-client.js';

/** A record of an accepted report in a model. Amounts are whole 10⁻⁹ USD. */
export interface RawUse {
  readonly hash: string;
  /** The workspace of the key; null for a hash that was no key of the account. */
  readonly workspace: string | null;
  readonly cost: bigint;
  readonly byok: bigint;
  readonly requests: number;
  readonly at: number;
  /** The end user of its key, or else the one that the record named. */
  readonly user: string | null;
  /** Whether its report was taken back. It still has its row, and is still a last use. */
  isReversed: boolean;
}

function isOf(use: RawUse, { hash, user, workspace }: ModelSubject): boolean {
  if (hash !== undefined) return use.hash === hash;
  return workspace !== undefined ? use.workspace === workspace : use.user === user;
}

function remaining(left: bigint | null): number | null {
  return left === null ? null : Number(decimal(left, LIMIT_DIGITS));
}

/** Gives what a use counts of a kind. */
function counted(use: RawUse, kind: Kind): bigint {
  return use.isReversed ? 0n : use[kind];
}

export const DAY_MS = 86_400_000;
/** Limits have more digits than amounts, so they are compared in whole 10⁻¹² USD. */
const LIMIT_DIGITS = 12;
const NANO_IN_PICO = 1_000n;

type Kind = 'cost' | 'byok';
export type Reset = 'daily' | 'weekly' | 'monthly' | null;

/** A limit of the model, which is a decimal, and how it counts. */
export interface ModelLimit {
  limit: string | null;
  reset: Reset;
  byok: boolean;
}

/** A key of the model. `user` is the end user for whom it was made. */
export interface ModelKey extends ModelLimit {
  readonly hash: string;
  readonly key: string;
  readonly user: string | null;
  workspace: string;
  isDeleted: boolean;
}

/** What has a limit: all uses with the same value of a field. */
export type ModelSubject = Partial<Pick<RawUse, 'hash' | 'user' | 'workspace'>>;

/** The name of the budget of all end users who have none of their own. */
export const COMMON: ModelSubject = { user: null };

/** Gives an amount as the decimal with all its digits. */
export function decimal(amount: bigint, digits = 9): string {
  const text = String(amount).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

function mondayOf(time: number): string {
  let day = time;
  while (new Date(day).getUTCDay() !== 1) day -= DAY_MS;
  return dayOf(day);
}

/** Says in words which window of a length a moment is in. */
function windowOf(reset: Reset, time: number): string {
  if (reset === 'daily') return dayOf(time);
  if (reset === 'weekly') return mondayOf(time);
  return reset === 'monthly' ? dayOf(time).slice(0, 7) : 'ever';
}

/** Gives the end of a window: the first midnight that is in another one. */
function endOf(reset: Reset, now: number): string {
  let end = Date.parse(dayOf(now));
  while (windowOf(reset, end) === windowOf(reset, now)) end += DAY_MS;
  return new Date(end).toISOString();
}

const NOTHING_NAMED: Pick<ActivityRecord, 'api_key_hash' | 'date' | 'user' | 'workspace_id'> = {
  date: '',
  api_key_hash: null,
  user: null,
  workspace_id: null,
};

/** Recounts everything from raw records, as plainly as can be. */
export class UsageModel {
  readonly uses: RawUse[] = [];
  readonly #budgets = new Map<string, ModelLimit>();

  #sum(kind: Kind, reset: Reset, subject: ModelSubject, now: number): bigint {
    return this.uses
      .filter((use) => use.workspace !== null && isOf(use, subject))
      .filter(({ at }) => windowOf(reset, at) === windowOf(reset, now))
      .reduce((sum, use) => sum + counted(use, kind), 0n);
  }

  setBudget(subject: ModelSubject, budget: ModelLimit | null): void {
    if (budget) this.#budgets.set(JSON.stringify(subject), budget);
    else this.#budgets.delete(JSON.stringify(subject));
  }

  #budgetOf(subject: ModelSubject): ModelLimit | undefined {
    const own = this.#budgets.get(JSON.stringify(subject));
    return own ?? ('user' in subject ? this.#budgets.get(JSON.stringify(COMMON)) : undefined);
  }

  /** Gives what the answer about the budget of a subject says of its spending; null for none. */
  budget(subject: ModelSubject, now: number): object | null {
    const budget = this.#budgetOf(subject);
    if (!budget) return null;
    const { left } = this.#spending(budget, subject, now);
    return { ...this.spentIn(budget.reset, subject, now), limit_remaining: remaining(left) };
  }

  /** Gives the use of a subject in the window of a length, as the answer about a budget has it. */
  spentIn(reset: Reset, subject: ModelSubject, now: number): object {
    return {
      usage: Number(decimal(this.#sum('cost', reset, subject, now))),
      byok_usage: Number(decimal(this.#sum('byok', reset, subject, now))),
    };
  }

  /**
   * Gives the spending of a subject toward a limit, and the rest of the limit. The rest is in whole
   * 10⁻¹² USD.
   */
  #spending(
    { limit, reset, byok }: ModelLimit,
    subject: ModelSubject,
    now: number,
  ): { spent: bigint; left: bigint | null } {
    const kinds: Kind[] = byok ? ['cost', 'byok'] : ['cost'];
    const spent = kinds.reduce((sum, kind) => sum + this.#sum(kind, reset, subject, now), 0n);
    if (limit === null) return { spent, left: null };
    const [whole = '', fraction = ''] = limit.split('.');
    const left = BigInt(whole + fraction.padEnd(LIMIT_DIGITS, '0')) - spent * NANO_IN_PICO;
    return { spent, left: left < 0n ? 0n : left };
  }

  /** Gives the usage fields of the record of a key. */
  record(key: ModelKey, now: number): object {
    const fields = (name: string, kind: Kind): [string, number][] =>
      ([null, 'daily', 'weekly', 'monthly'] as const).map((reset) => [
        reset === null ? name : `${name}_${reset}`,
        Number(decimal(this.#sum(kind, reset, { hash: key.hash }, now))),
      ]);
    const own = this.uses.filter((use) => use.workspace !== null && use.hash === key.hash);
    const last = Math.max(...own.map(({ at }) => at));
    return {
      ...Object.fromEntries([...fields('usage', 'cost'), ...fields('byok_usage', 'byok')]),
      limit_remaining: this.#remaining(key, now),
      last_used_at: own.length > 0 ? new Date(last).toISOString() : null,
    };
  }

  #remaining(key: ModelKey, now: number): number | null {
    return remaining(this.#spending(key, { hash: key.hash }, now).left);
  }

  /** Gives the limits that apply to a use of a key, in the order of the decision. */
  #limits(key: ModelKey, named: string | null, now: number) {
    const user = key.user ?? named;
    const subjects: [scope: string, subject: ModelSubject, limit: ModelLimit | undefined][] = [
      ['key', { hash: key.hash }, key],
      ['end-user', { user }, user === null ? undefined : this.#budgetOf({ user })],
      ['workspace', { workspace: key.workspace }, this.#budgetOf({ workspace: key.workspace })],
    ];
    return subjects.flatMap(([scope, subject, limit]) => {
      if (!limit) return [];
      const { spent, left } = this.#spending(limit, subject, now);
      return left === null ? [] : [{ ...limit, scope, spent, left }];
    });
  }

  #leastLeft(key: ModelKey, user: string | null, now: number): bigint | null {
    const [first, ...others] = this.#limits(key, user, now).map(({ left }) => left);
    if (first === undefined) return null;
    return others.reduce((least, left) => (left < least ? left : least), first);
  }

  verification(key: ModelKey, user: string | null, now: number): object {
    if (key.isDeleted) {
      return { code: 'NOT_FOUND', key: null, exceeded: null, limit_remaining: null };
    }
    const exceeded = this.#limits(key, user, now).find(({ left }) => left === 0n);
    return {
      code: exceeded ? 'LIMIT_EXCEEDED' : 'VALID',
      key: { limit_remaining: this.#remaining(key, now) },
      limit_remaining: remaining(this.#leastLeft(key, user, now)),
      exceeded: exceeded
        ? {
            scope: exceeded.scope,
            interval: exceeded.reset ?? 'lifetime',
            limit: Number(exceeded.limit),
            usage: Number(decimal(exceeded.spent)),
            resets_at: exceeded.reset === null ? null : endOf(exceeded.reset, now),
          }
        : null,
    };
  }

  /**
   * Gives the least rest of all limits that apply as the header of forward authentication has it;
   * null for a refusal.
   */
  authorized(key: ModelKey, user: string | null, now: number): string | null {
    const left = this.#leastLeft(key, user, now);
    if (key.isDeleted || left === 0n) return null;
    if (left === null) return '';
    return decimal(left, LIMIT_DIGITS).replace(/\.?0+$/, '');
  }

  /** Gives all rows of activity, in no order. */
  activity(group: Group): ActivityRecord[] {
    const rows = new Map<string, RawUse[]>();
    for (const use of this.uses) {
      const user = use.workspace === null ? null : use.user;
      const by = {
        key: { api_key_hash: use.workspace && use.hash, workspace_id: use.workspace },
        user: { user },
        workspace: { workspace_id: use.workspace },
        day: {},
      };
      const name = JSON.stringify({ ...NOTHING_NAMED, date: dayOf(use.at), ...by[group] });
      rows.set(name, [...(rows.get(name) ?? []), use]);
    }
    return [...rows].map(([name, uses]) => {
      const sum = (kind: Kind): number =>
        Number(decimal(uses.reduce((total, use) => total + counted(use, kind), 0n)));
      return {
        ...(JSON.parse(name) as typeof NOTHING_NAMED),
        usage: sum('cost'),
        byok_usage: sum('byok'),
        requests: uses.reduce(
          (all, { isReversed, requests }) => all + (isReversed ? 0 : requests),
          0,
        ),
      };
    });
  }
}

/**
 * Compares all rows of activity, and the keys that are there in the order of their creation, with
 * the model.
 */
export async function expectSameUsage(
  client: HttpClient,
  model: UsageModel,
  keys: readonly ModelKey[],
  now: number,
): Promise<void> {
  await expectSameKeys(client, model, keys, now);
  for (const group of GROUPS) {
    const days = `from=${dayOf(now - 1_000 * DAY_MS)}&to=${dayOf(now + DAY_MS)}`;
    const path = `/v1/activity?group_by=${group}&limit=1000&${days}`;
    const { body } = await client.get<{ data: ActivityRecord[] }>(path);
    expect(body.data).toHaveLength(model.activity(group).length);
    expect(body.data).toEqual(expect.arrayContaining(model.activity(group)));
  }
}

export async function expectSameKeys(
  client: HttpClient,
  model: UsageModel,
  keys: readonly ModelKey[],
  now: number,
): Promise<void> {
  const there = keys.filter(({ isDeleted }) => !isDeleted);
  const listed = await client.get('/v1/keys?workspace_id=all');
  expect(listed.body).toMatchObject({
    data: there.toReversed().map((key) => model.record(key, now)),
  });
}

/**
 * Creates a key with a limit, which counts BYOK usage when it never resets or resets weekly.
 * @param user the end user for whom it is made; null for nobody.
 */
export async function modelKey(
  client: HttpClient,
  limit: string,
  reset: Reset,
  user: string | null = null,
): Promise<ModelKey> {
  const byok = reset === null || reset === 'weekly';
  const counted = { limit: Number(limit), limit_reset: reset, include_byok_in_limit: byok };
  const fields = { ...counted, ...(user !== null && { external: { user } }) };
  const { data, key } = await createKey(client, fields);
  const { hash, workspace_id: workspace } = data;
  return { hash, key, user, workspace, limit, reset, byok, isDeleted: false };
}
