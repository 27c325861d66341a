import { dayOf } from '../../../kernel/day.js';
import { type InParts, PART } from './in-parts.js';
import type { Key } from '../../keys/domain/key.js';
import { type Amounts, sumsBy } from './amounts.js';
import { amountsOf, type UsageRecord } from './usage-record.js';
import type { Reported, ReportedSum } from './usage.events.js';

export interface UsageReport extends Pick<Reported, 'account_id' | 'report_id' | 'content_hash'> {
  readonly records: readonly UsageRecord[];
  /** The key of each hash in the report, if the account has it. Others are unattributed. */
  readonly keys: ReadonlyMap<string, Pick<Key, 'external_user' | 'hash' | 'workspace_id'>>;
}

interface Use extends Pick<ReportedSum, 'key' | 'day' | 'user'> {
  readonly amounts: Amounts;
}

interface Unattributed {
  readonly key_hash: string;
  readonly day: string;
  readonly amounts: Amounts;
}

/**
 * Makes the data of the event that stores a report.
 * @param at the time of the event in ISO 8601 UTC, at which records without a time count.
 */
export function* reportEventData(
  { account_id, report_id, content_hash, records, keys: named }: UsageReport,
  at: string,
): InParts<Reported> {
  const keys: Reported['keys'] = [];
  const places = new Map<string, number>();
  const own: Use[] = [];
  const others: Unattributed[] = [];
  for (const [index, record] of records.entries()) {
    if (index > 0 && index % PART === 0) yield;
    const { key_hash, user } = record;
    const time = record.occurred_at ?? at;
    const use = { day: dayOf(time), amounts: amountsOf(record) };
    const key = named.get(key_hash);
    if (!key) {
      others.push({ key_hash, ...use });
      continue;
    }
    // Several strings of a key are one key.
    const { external_user, hash, workspace_id } = key;
    const place = places.get(hash) ?? keys.length;
    places.set(hash, place);
    // A key that was made for a user is that user's, whomever its client names.
    own.push({ key: place, user: external_user ?? user, ...use });
    const known = keys[place]?.last_used_at ?? '';
    if (time > known) keys[place] = { hash, workspace_id, last_used_at: time };
  }
  return {
    account_id,
    report_id,
    content_hash,
    accepted: records.length,
    keys,
    sums: sumsByUser(own),
    unattributed: [...new Set(others.map(({ key_hash }) => key_hash))],
    unattributed_sums: sumsByDay(others),
  };
}

function sumsByUser(uses: readonly Use[]): ReportedSum[] {
  // Days have a fixed length, and no user is empty, so no two sums have the same name.
  const nameOf = ({ key, day, user }: Use): string => `${key} ${day}${user ?? ''}`;
  return sumsBy(uses, nameOf, ({ amounts }) => amounts).map(({ first, amounts }) => {
    const { key, day, user } = first;
    return { key, day, user, ...amounts };
  });
}

function sumsByDay(uses: readonly Unattributed[]): Reported['unattributed_sums'] {
  const sums = sumsBy(
    uses,
    ({ day }) => day,
    ({ amounts }) => amounts,
  );
  return sums.map(({ first: { day }, amounts }) => ({ day, ...amounts }));
}
