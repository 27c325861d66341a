import { Inject, Injectable } from '@nestjs/common';
import { ListInParts, type Part } from '../../../event-sourcing/projections/list-in-parts.js';
import { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import type { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import type { View } from '../../../event-sourcing/read-store/read-store.js';
import { USAGE } from '../../../event-sourcing/ledger.js';
import { type ActivityFilter, FILTERS, LONGEST_CURSOR } from './activity-filter.js';
import {
  activity,
  type ActivityCollections,
  type ActivityRow,
  dayEnd,
  dayStart,
} from './activity.projection.js';

/** The number of rows in a part of a stream, because a query blocks other requests. */
const PART_ROWS = 250;

@Injectable()
export class ActivityDirectory {
  readonly #model: ReadModel<ActivityCollections>;

  constructor(@Inject(USAGE.models) models: ReadModels) {
    this.#model = new ReadModel(activity, models);
  }

  /**
   * Returns the rows of an account that match. A page examines no more rows than it may have, also
   * where a filter leaves some out. Each row has its sums when it is read.
   */
  list<Shown extends object>(
    accountId: string,
    filter: ActivityFilter,
    present: (row: ActivityRow) => Shown,
  ): ListInParts<ActivityCollections, ActivityRow, Shown> {
    return new ListInParts(this.#model, accountId, {
      read: (view, after, limit) => readPart(view, accountId, filter, after, limit),
      recordOf: (row) => (matches(row, filter) ? present(row) : null),
      placeOf: ({ place }) => place,
      frameBytes: LONGEST_CURSOR,
    });
  }
}

/**
 * Reads rows after a place from the index of the narrowest filter. One workspace has a row a day
 * among those by workspace.
 */
async function readPart(
  view: Pick<View<ActivityCollections>, 'range'>,
  account_id: string,
  filter: ActivityFilter,
  after: string | undefined,
  limit = PART_ROWS,
): Promise<Part<ActivityRow>> {
  const field = FILTERS.find((one) => filter[one]);
  const group = filter.group_by === 'day' && field !== undefined ? 'workspace' : filter.group_by;
  const { documents: rows } = await view.range(`activity_by_${group}`, {
    index: field ?? 'all',
    equals: { account_id, ...(field && { [field]: filter[field] ?? '' }) },
    from: dayStart(filter.to),
    after,
    before: dayEnd(filter.from),
    limit,
  });
  return { rows, next: rows[limit - 1]?.place ?? null };
}

/** Whether a row matches, which the index of a key does not say when a workspace is given too. */
function matches(row: ActivityRow, { workspace_id }: ActivityFilter): boolean {
  return workspace_id === undefined || row.workspace_id === workspace_id;
}
