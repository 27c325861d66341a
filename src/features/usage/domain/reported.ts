import { type Amounts, sumsBy } from './amounts.js';
import { amountsOf, type UsageRecord } from './usage-record.js';
import type { Reported } from './usage.events.js';

/** A report, and what the service knows about its keys. */
export interface UsageReport extends Pick<Reported, 'account_id' | 'report_id' | 'content_hash'> {
  readonly records: readonly UsageRecord[];
  /** The workspace of each key of the account that the report names, by hash. All other hashes are unattributed. */
  readonly workspaces: ReadonlyMap<string, string>;
}

/** A record, as it counts. */
interface Use {
  readonly key_hash: string;
  readonly day: string;
  readonly user: string | null;
  readonly amounts: Amounts;
}

/**
 * Makes the data of the event that stores a report.
 * @param at the time of the event in ISO 8601 UTC, at which records without a time count.
 */
export function reported(
  { account_id, report_id, content_hash, records, workspaces }: UsageReport,
  at: string,
): Reported {
  const keys = new Map<string, Reported['keys'][number]>();
  const [own, others]: [Use[], Use[]] = [[], []];
  for (const record of records) {
    const { key_hash, user } = record;
    const time = record.occurred_at ?? at;
    const use: Use = { key_hash, day: dayOf(time), user, amounts: amountsOf(record) };
    const workspace_id = workspaces.get(key_hash);
    if (workspace_id === undefined) {
      others.push(use);
      continue;
    }
    own.push(use);
    const known = keys.get(key_hash)?.last_used_at ?? '';
    if (time > known) keys.set(key_hash, { hash: key_hash, workspace_id, last_used_at: time });
  }
  return {
    account_id,
    report_id,
    content_hash,
    accepted: records.length,
    keys: [...keys.values()],
    sums: sumsByUser(own),
    unattributed: [...new Set(others.map(({ key_hash }) => key_hash))],
    unattributed_sums: sumsByDay(others),
  };
}

function sumsByUser(uses: readonly Use[]): Reported['sums'] {
  // Hashes and days have a fixed length, and no user is empty, so no two sums have the same name.
  const nameOf = ({ key_hash, day, user }: Use): string => key_hash + day + (user ?? '');
  return sumsBy(uses, nameOf, ({ amounts }) => amounts).map(({ first, amounts }) => {
    const { key_hash, day, user } = first;
    return { key_hash, day, user, ...amounts };
  });
}

function sumsByDay(uses: readonly Use[]): Reported['unattributed_sums'] {
  const sums = sumsBy(
    uses,
    ({ day }) => day,
    ({ amounts }) => amounts,
  );
  return sums.map(({ first: { day }, amounts }) => ({ day, ...amounts }));
}

function dayOf(time: string): string {
  return time.slice(0, 'YYYY-MM-DD'.length);
}
