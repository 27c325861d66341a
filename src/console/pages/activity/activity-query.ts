import { dayAfter } from '../../parts/times.js';
import type { Filters } from '../../routing/place.js';

const MOST_DAYS = 366;

/** The query of a table of activity. The fields have the names of the API. */
export interface TableQuery extends Filters {
  readonly group_by: string;
  readonly from: string;
  readonly to: string;
}

/** Returns the query of the table of an address, the same on every page of it. */
export function tableQuery({ cursor: _, ...filters }: Filters, today: string): TableQuery {
  const to = filters.to ?? today;
  const from = filters.from ?? (isDay(to) ? dayAfter(to, -29) : to);
  const group_by = filters.group_by ?? (filters.user === undefined ? 'key' : 'user');
  return { ...filters, group_by, from, to };
}

/**
 * Returns the same usage by day, for the charts above a table: of no more than the last days that
 * can be drawn. Null where the address has no days.
 */
export function chartQuery(query: TableQuery): TableQuery | null {
  const { from, to, group_by, api_key_hash, user } = query;
  if (!isDay(from) || !isDay(to)) return null;
  const earliest = dayAfter(to, 1 - MOST_DAYS);
  const isOfOne = api_key_hash !== undefined || user !== undefined;
  return {
    ...query,
    from: from < earliest ? earliest : from,
    group_by: isOfOne ? group_by : 'day',
  };
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
