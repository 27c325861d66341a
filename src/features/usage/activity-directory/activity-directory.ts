import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import type { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import type { View } from '../../../event-sourcing/read-store/read-store.js';
import { jsonBytes, MOST_ANSWER_BYTES } from '../../../kernel/answer-size.js';
import type { Read } from '../../../kernel/read.js';
import { type ActivityRecord, recordOf } from '../activity.fields.js';
import { USAGE } from '../usage-log.js';
import { activity, type ActivityRow, endOf, startOf } from './activity.projection.js';
import { type ActivityFilter, type Asked, FILTERS, LONGEST_CURSOR } from './cursor.js';

/** The number of rows in a part of a stream, because a query blocks other requests. */
const PART_ROWS = 250;

export interface ActivityPage {
  readonly rows: readonly ActivityRecord[];
  /** The place behind which the next page begins; null when no row follows. */
  readonly next: string | null;
}

/** The queries of the activity. A query waits, with a time-out, for all reports answered earlier. */
@Injectable()
export class ActivityDirectory {
  readonly #model: ReadModel;

  constructor(@Inject(USAGE.models) models: ReadModels) {
    this.#model = models.of(activity);
  }

  page(accountId: string, asked: Asked, limit: number): Promise<Read<ActivityPage>> {
    return this.#model.read(accountId, async (view) => {
      // One row more than the page has shows whether another page follows.
      const rows = await rowsOf(view, accountId, asked, limit + 1);
      return pageOf(rows, asked.filter, limit);
    });
  }

  /** Returns all rows that match, in chunks, each with its sums when it is read. Resolves when the first one is read. */
  async stream(
    accountId: string,
    filter: ActivityFilter,
  ): Promise<Read<AsyncIterable<readonly ActivityRecord[]>>> {
    const asked = { filter, after: undefined };
    const { found, isLate } = await this.#model.read(accountId, (view) =>
      rowsOf(view, accountId, asked, PART_ROWS),
    );
    return { found: this.#chunks(accountId, filter, found), isLate };
  }

  async *#chunks(accountId: string, filter: ActivityFilter, first: readonly ActivityRow[]) {
    let rows = first;
    for (;;) {
      // An empty chunk is delivered too, so that a reader who has left is noticed.
      yield rows.filter((row) => matches(row, filter)).map(recordOf);
      const after = rows[PART_ROWS - 1]?.place;
      if (after === undefined) return;
      // Each part is read from a state of its own, because a slow reader must not hold a state of the store for long.
      rows = await this.#model.projected(accountId, (view) =>
        rowsOf(view, accountId, { filter, after }, PART_ROWS),
      );
      // A fast reader of an embedded store would otherwise block other requests.
      await nextTurn();
    }
  }
}

/** Reads rows behind a place from the index of the narrowest filter. */
async function rowsOf(
  view: Pick<View, 'range'>,
  account_id: string,
  { filter, after }: Asked,
  limit: number,
): Promise<readonly ActivityRow[]> {
  const field = FILTERS.find((one) => filter[one]);
  const { documents } = await view.range<ActivityRow>(`by_${filter.group_by}`, {
    index: field ?? 'all',
    equals: { account_id, ...(field && { [field]: filter[field] ?? '' }) },
    from: startOf(filter.to),
    after,
    before: endOf(filter.from),
    limit,
  });
  return documents;
}

/** Whether a row matches, which the index of a key does not say when a workspace is given too. */
function matches(row: ActivityRow, { workspace_id }: ActivityFilter): boolean {
  return workspace_id === undefined || row.workspace_id === workspace_id;
}

/** Takes matching rows until a page is full. @param rows up to one row more than `limit`. */
function pageOf(rows: readonly ActivityRow[], filter: ActivityFilter, limit: number): ActivityPage {
  const records: ActivityRecord[] = [];
  let bytesLeft = MOST_ANSWER_BYTES - LONGEST_CURSOR;
  let next: string | null = null;
  for (const row of rows) {
    if (matches(row, filter)) {
      const record = recordOf(row);
      bytesLeft -= jsonBytes(record) + 1;
      if (records.length === limit || bytesLeft < 0) return { rows: records, next };
      records.push(record);
    }
    next = row.place;
  }
  return { rows: records, next: rows.length > limit ? next : null };
}
