import { SqliteEventLog } from '../../../src/event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { SqliteReadStore } from '../../../src/event-sourcing/read-store/sqlite/sqlite-read-store.js';
import { ActivityDirectory } from '../../../src/features/usage/activity-directory/activity-directory.js';
import { activity } from '../../../src/features/usage/activity-directory/activity.projection.js';
import type { ActivityFilter } from '../../../src/features/usage/activity-directory/activity-filter.js';
import {
  type ActivityRecord,
  presentActivity,
} from '../../../src/features/usage/activity.fields.js';
import type { UsageRecord } from '../../../src/features/usage/domain/usage-record.js';
import { hashOf, reportOf } from '../histories/usage.js';
import { countingReadStore } from './counting-read-store.js';
import { FoldedByHand } from './folded-by-hand.js';
import { metadataAt } from './metadata-at.js';

/** A report about keys in one workspace. */
export interface Used {
  readonly account: string;
  readonly workspace: string;
  readonly records: readonly UsageRecord[];
}

/**
 * Reports in two forms: a plain list, which is counted anew for each question, and an activity
 * directory over a real read store. The account has no key f. Every record has a time, and a cost
 * in whole dollars.
 */
export class ActivityShelf {
  readonly #directory: ActivityDirectory;
  readonly #log = new SqliteEventLog(':memory:');
  readonly #counts = { ranges: 0, documents: 0 };
  readonly #store = countingReadStore(new SqliteReadStore(':memory:'), this.#counts);
  readonly #folded = new FoldedByHand(activity, this.#store, this.#log);
  readonly #reports: Used[] = [];

  constructor() {
    this.#directory = new ActivityDirectory(this.#folded.models);
  }

  /** The number of reports so far. */
  get size(): number {
    return this.#reports.length;
  }

  /** The number of rows read through indexes so far. */
  get rowsRead(): number {
    return this.#counts.documents;
  }

  /** Folds reports in one batch. */
  async happen(...reports: readonly Used[]): Promise<void> {
    const events = reports.map(({ account, workspace, records }) => {
      const number = this.#reports.push({ account, workspace, records });
      const data = { ...reportOf(records, workspace), account_id: account };
      const position = String(number).padStart(9, '0');
      const metadata = metadataAt(0, account);
      return { type: 'UsageReported' as const, data, id: `event-${number}`, position, metadata };
    });
    await this.#folded.fold(events);
  }

  /** Gives the rows that match, from the directory. */
  list(account: string, filter: ActivityFilter) {
    return this.#directory.list(account, filter, (row) => presentActivity(row, filter));
  }

  /** Gives the rows that match, from the list. */
  right(account: string, filter: ActivityFilter): ActivityRecord[] {
    const rows = new Map<string, ActivityRecord>();
    for (const report of this.#reports.filter((one) => one.account === account)) {
      for (const record of report.records) {
        if (!isUsedIn(filter.workspace_id, record, report)) continue;
        const row = rowOf(record, report, filter);
        const known = rows.get(nameOf(row));
        const usage = row.usage + (known?.usage ?? 0);
        rows.set(nameOf(row), { ...row, usage, requests: 1 + (known?.requests ?? 0) });
      }
    }
    return [...rows.values()].filter((row) => isWanted(row, filter)).sort(inOrder);
  }

  /** Gives the matching rows, page by page. @param between runs before each further page. */
  async found(
    account: string,
    filter: ActivityFilter,
    limit: number,
    between: () => Promise<void> = () => Promise.resolve(),
  ): Promise<(readonly ActivityRecord[])[]> {
    const pages: (readonly ActivityRecord[])[] = [];
    let after: string | undefined;
    for (;;) {
      const { records, next } = (await this.list(account, filter).page(limit, after)).found;
      pages.push(records);
      if (next === null) return pages;
      after = next;
      await between();
    }
  }

  async streamed(account: string, filter: ActivityFilter): Promise<ActivityRecord[]> {
    const rows: ActivityRecord[] = [];
    const { found } = await this.list(account, filter).stream();
    for await (const chunk of found) rows.push(...chunk);
    return rows;
  }

  async close(): Promise<void> {
    await this.#store.close();
    await this.#log.close();
  }
}

/** Gives a text that no two rows share. */
export function nameOf({ date, api_key_hash, workspace_id, user }: ActivityRecord): string {
  return JSON.stringify([date, api_key_hash, workspace_id, user]);
}

function rowOf(
  { key_hash, user, cost, occurred_at }: UsageRecord,
  { workspace }: Used,
  { group_by }: ActivityFilter,
) {
  const isKnown = key_hash !== hashOf('f');
  const isByWorkspace = group_by === 'key' || group_by === 'workspace';
  return {
    date: occurred_at?.slice(0, 10) ?? '',
    api_key_hash: group_by === 'key' && isKnown ? key_hash : null,
    user: group_by === 'user' && isKnown ? user : null,
    workspace_id: isByWorkspace && isKnown ? workspace : null,
    usage: Number(cost) / 1e9,
    byok_usage: 0,
    requests: 1,
  };
}

function isUsedIn(wanted: string | undefined, { key_hash }: UsageRecord, { workspace }: Used) {
  return wanted === undefined || (wanted === workspace && key_hash !== hashOf('f'));
}

function isWanted(row: ActivityRecord, filter: ActivityFilter): boolean {
  const { from, to, api_key_hash, user } = filter;
  return (
    row.date >= from &&
    row.date <= to &&
    (api_key_hash === undefined || row.api_key_hash === api_key_hash) &&
    (user === undefined || row.user === user)
  );
}

/** The newest date first, then by bytes, which is the order of code points, with null last. */
function inOrder(one: ActivityRecord, other: ActivityRecord): number {
  if (one.date !== other.date) return one.date < other.date ? 1 : -1;
  const bytes = ({ api_key_hash, workspace_id, user }: ActivityRecord): Buffer =>
    api_key_hash === null && user === null && workspace_id === null
      ? Buffer.from([0xff])
      : Buffer.from((api_key_hash ?? '') + (workspace_id ?? '') + (user ?? ''));
  return Buffer.compare(bytes(one), bytes(other));
}
