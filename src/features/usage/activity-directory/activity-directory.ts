import { Inject, Injectable } from '@nestjs/common';
import {
  filledPage,
  type Part,
  type PlacedPage,
  readInParts,
} from '../../../event-sourcing/projections/parts.js';
import { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import type { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import type { View } from '../../../event-sourcing/read-store/read-store.js';
import type { Read } from '../../../kernel/read.js';
import { type ActivityRecord, LONGEST_CURSOR, recordOf } from '../activity.fields.js';
import { USAGE } from '../../../event-sourcing/ledger.js';
import { type ActivityFilter, type Asked, FILTERS } from './activity-filter.js';
import {
  activity,
  type ActivityCollections,
  type ActivityRow,
  endOf,
  startOf,
} from './activity.projection.js';

/** The number of rows in a part of a stream, because a query blocks other requests. */
const PART_ROWS = 250;

/** The queries of the activity. A query waits, with a time-out, for all reports answered earlier. */
@Injectable()
export class ActivityDirectory {
  readonly #model: ReadModel<ActivityCollections>;

  constructor(@Inject(USAGE.models) models: ReadModels) {
    this.#model = new ReadModel(activity, models);
  }

  /** A page examines no more rows than it may have, also where a filter leaves some out. */
  async page(
    accountId: string,
    asked: Asked,
    limit: number,
  ): Promise<Read<PlacedPage<ActivityRecord>>> {
    const { filter } = asked;
    // One row more than the page has shows whether another page follows.
    const { found, isLate } = await this.#model.read(accountId, (view) =>
      partOf(view, accountId, asked, limit + 1),
    );
    const page = await filledPage(this.#parts(accountId, filter, found), {
      limit,
      mostExamined: limit,
      frameBytes: LONGEST_CURSOR,
      recordOf: (row) => (matches(row, filter) ? recordOf(row) : null),
      placeOf: ({ place }) => place,
    });
    return { found: page, isLate };
  }

  /** Returns all rows that match, in chunks, each with its sums when it is read. Resolves when the first one is read. */
  async stream(
    accountId: string,
    filter: ActivityFilter,
  ): Promise<Read<AsyncIterable<readonly ActivityRecord[]>>> {
    const asked = { filter, after: undefined };
    const { found, isLate } = await this.#model.read(accountId, (view) =>
      partOf(view, accountId, asked),
    );
    return { found: this.#chunks(accountId, filter, found), isLate };
  }

  async *#chunks(accountId: string, filter: ActivityFilter, first: Part<ActivityRow>) {
    for await (const rows of this.#parts(accountId, filter, first)) {
      // An empty chunk is delivered too, so that a reader who has left is noticed.
      yield rows.filter((row) => matches(row, filter)).map(recordOf);
    }
  }

  #parts(accountId: string, filter: ActivityFilter, first: Part<ActivityRow>) {
    return readInParts(first, (after) =>
      this.#model.projected(accountId, (view) => partOf(view, accountId, { filter, after })),
    );
  }
}

/** Reads rows after a place from the index of the narrowest filter. */
async function partOf(
  view: Pick<View<ActivityCollections>, 'range'>,
  account_id: string,
  { filter, after }: Asked,
  limit = PART_ROWS,
): Promise<Part<ActivityRow>> {
  const field = FILTERS.find((one) => filter[one]);
  const { documents: rows } = await view.range(`activity_by_${filter.group_by}`, {
    index: field ?? 'all',
    equals: { account_id, ...(field && { [field]: filter[field] ?? '' }) },
    from: startOf(filter.to),
    after,
    before: endOf(filter.from),
    limit,
  });
  return { rows, next: rows[limit - 1]?.place ?? null };
}

/** Whether a row matches, which the index of a key does not say when a workspace is given too. */
function matches(row: ActivityRow, { workspace_id }: ActivityFilter): boolean {
  return workspace_id === undefined || row.workspace_id === workspace_id;
}
