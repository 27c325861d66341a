import { sumsBy } from './amounts.js';
import { amountsOf, contentHash, type UsageRecord } from './usage-record.js';
import type { Reported } from './usage.events.js';

/** A report, and what the service knows about its keys. */
export interface UsageReport {
  readonly account_id: string;
  /** A UUID in lower case. */
  readonly report_id: string;
  readonly records: readonly UsageRecord[];
  /** The workspace of each key of the account that the report names, by hash. All other hashes are unattributed. */
  readonly workspaces: ReadonlyMap<string, string>;
}

interface DatedRecord extends UsageRecord {
  readonly occurred_at: string;
}

/** A record of a key of the account. */
interface OwnRecord extends DatedRecord {
  readonly workspace_id: string;
}

/**
 * Makes the data of the event that stores a report.
 * @param at the time of the event in ISO 8601 UTC, at which records without a time count.
 */
export function reported(
  { account_id, report_id, records, workspaces }: UsageReport,
  at: string,
): Reported {
  const own: OwnRecord[] = [];
  const others: DatedRecord[] = [];
  for (const record of records) {
    const dated = { ...record, occurred_at: record.occurred_at ?? at };
    const workspace_id = workspaces.get(record.key_hash);
    if (workspace_id === undefined) others.push(dated);
    else own.push({ ...dated, workspace_id });
  }
  // Hashes and days have a fixed length, and no user is empty, so no two sums have the same name.
  const sums = sumsBy(
    own,
    (it) => it.key_hash + dayOf(it.occurred_at) + (it.user ?? ''),
    amountsOf,
  );
  const unattributed = sumsBy(others, ({ occurred_at }) => dayOf(occurred_at), amountsOf);
  return {
    account_id,
    report_id,
    content_hash: contentHash(records),
    accepted: records.length,
    keys: keysOf(own),
    sums: sums.map(({ first: { key_hash, occurred_at, user }, amounts }) => ({
      key_hash,
      day: dayOf(occurred_at),
      user,
      ...amounts,
    })),
    unattributed: [...new Set(others.map(({ key_hash }) => key_hash))],
    unattributed_sums: unattributed.map(({ first: { occurred_at }, amounts }) => ({
      day: dayOf(occurred_at),
      ...amounts,
    })),
  };
}

function keysOf(records: readonly OwnRecord[]): Reported['keys'] {
  const keys = new Map<string, Reported['keys'][number]>();
  for (const { key_hash: hash, workspace_id, occurred_at: last_used_at } of records) {
    const known = keys.get(hash);
    if (known === undefined || known.last_used_at < last_used_at) {
      keys.set(hash, { hash, workspace_id, last_used_at });
    }
  }
  return [...keys.values()];
}

function dayOf(time: string): string {
  return time.slice(0, 'YYYY-MM-DD'.length);
}
