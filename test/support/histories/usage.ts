import fc from 'fast-check';
import { endUserId, endUserStream } from '../../../src/features/end-users/domain/end-user.js';
import {
  amountsIn,
  ZERO_AMOUNTS,
  plus,
  type StoredAmounts,
  storedAmounts,
} from '../../../src/features/usage/domain/amounts.js';
import {
  addedUsage,
  type SubjectUsage,
  withUsage,
} from '../../../src/features/usage/domain/subject-usage.js';
import { reportEventData } from '../../../src/features/usage/domain/report-event.js';
import type {
  Reported,
  Reversed,
  UsageEvent,
} from '../../../src/features/usage/domain/usage.events.js';
import { contentHash, type UsageRecord } from '../../../src/features/usage/domain/usage-record.js';
import { atOnce } from '../specs/at-once.js';

export const ACCEPTED_AT = '2026-03-04T12:00:00.000Z';
export const WORKSPACE = 'workspace-home';

/** Gives the hash of the key with a letter from a to f. */
export function hashOf(letter: string): string {
  return letter.repeat(64);
}

/** Gives the name of an end user of the account of `reportOf`. */
export function endUserOf(user: string): string {
  return endUserStream(endUserId('account-1', user));
}

/** Gives a record of one request of key a for 1 USD. `changes` replace its fields. */
export function recordOf(changes: Partial<UsageRecord> = {}): UsageRecord {
  return {
    key_hash: hashOf('a'),
    cost: 1_000_000_000n,
    byok_cost: 0n,
    requests: 1,
    occurred_at: null,
    user: null,
    ...changes,
  };
}

/** Gives the user of key d, which was made for them. */
export const OWNER = 'dan';

/** Gives the data of the event of a report. The account has the keys from a to d. */
export function reportOf(records: readonly UsageRecord[], workspace_id = WORKSPACE): Reported {
  const own = ['a', 'b', 'c', 'd'].map((letter) => {
    const hash = hashOf(letter);
    const external_user = letter === 'd' ? OWNER : null;
    return [hash, { hash, workspace_id, external_user }] as const;
  });
  const report = {
    account_id: 'account-1',
    report_id: 'report-1',
    content_hash: atOnce(contentHash(records)),
    records,
    keys: new Map(own),
  };
  return atOnce(reportEventData(report, ACCEPTED_AT));
}

/** Gives the data of the event that takes a report back. */
export function reversalOf(report: Reported): Reversed {
  const { account_id, report_id, accepted, keys, sums, unattributed_sums } = report;
  return { account_id, report_id, accepted, keys, sums, unattributed_sums };
}

/**
 * Reports, each of which may be taken back, and all their events, shuffled: one may be taken back
 * before it is counted.
 */
export function randomReversals(from: string, days: number): fc.Arbitrary<ReversalHistory> {
  const records = fc.array(randomRecords(from, days), { minLength: 1, maxLength: 8 });
  const report = fc.record({
    records,
    workspace: fc.constantFrom('eu', 'us'),
    isReversed: fc.boolean(),
  });
  return fc.array(report, { maxLength: 12 }).chain((reports) => {
    const events = reports.flatMap(({ records: all, workspace, isReversed }): UsageEvent[] => {
      const data = reportOf(all, workspace);
      const reported: UsageEvent = { type: 'UsageReported', data };
      return isReversed
        ? [reported, { type: 'UsageReversed', data: reversalOf(data) }]
        : [reported];
    });
    const shuffled = fc.shuffledSubarray(events, { minLength: events.length });
    return shuffled.map((others) => ({ reports, events, shuffled: others }));
  });
}

export interface ReversalHistory {
  readonly reports: readonly {
    readonly records: readonly UsageRecord[];
    readonly workspace: string;
    readonly isReversed: boolean;
  }[];
  readonly events: readonly UsageEvent[];
  readonly shuffled: readonly UsageEvent[];
}

/**
 * Records of six keys, two of which the account does not have, within `days` days after the start
 * of `from`.
 */
export function randomRecords(from: string, days: number): fc.Arbitrary<UsageRecord> {
  const start = Date.parse(from);
  const amounts = fc.oneof(
    fc.bigInt({ min: 0n, max: 10n ** 15n }),
    fc.bigInt({ min: 0n, max: 3n }),
  );
  return fc.record({
    key_hash: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f').map(hashOf),
    cost: amounts,
    byok_cost: amounts,
    requests: fc.integer({ min: 0, max: 1_000_000 }),
    occurred_at: fc
      .integer({ min: 0, max: days * 86_400_000 - 1 })
      .map((ms) => new Date(start + ms).toISOString()),
    user: fc.option(fc.constantFrom('ada', 'ben', 'cyd')),
  });
}

/** Adds up the amounts of rows. */
export function totalOf(rows: readonly StoredAmounts[]): StoredAmounts {
  return storedAmounts(rows.map(amountsIn).reduce(plus, amountsIn(ZERO_AMOUNTS)));
}

/** Gives a record of key a at a time. Its BYOK cost is ten times its cost, in 10⁻⁹ USD. */
export function usedAt(time: string, cost = 1n): UsageRecord {
  return recordOf({ occurred_at: time, cost, byok_cost: 10n * cost });
}

/** Gives each record as a report of its own. */
export function oneByOne(records: readonly UsageRecord[]): UsageRecord[][] {
  return records.map((record) => [record]);
}

/** Folds the use of a subject from reports, one after the other. Default: key a. */
export function foldedUsage(
  reports: readonly (readonly UsageRecord[])[],
  subject = hashOf('a'),
): SubjectUsage | undefined {
  return reports
    .flatMap((records) => addedUsage(reportOf(records)))
    .filter((added) => added.subject === subject)
    .reduce<SubjectUsage | undefined>(withUsage, undefined);
}
