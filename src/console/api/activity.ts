import { type Answer, answered, api } from './client.js';
import type { components, operations } from './openapi.js';

export type ActivityRow = components['schemas']['Activity'];
export type ActivityQuery = NonNullable<operations['listActivity']['parameters']['query']>;

const MOST_ROWS = 1_000;

/** Loads every row that matches, page by page. Use it only where rows are few, such as days. */
export async function allActivity(query: ActivityQuery): Promise<Answer<readonly ActivityRow[]>> {
  const rows: ActivityRow[] = [];
  let isStale = false;
  let cursor: string | null | undefined;
  do {
    const page = { ...query, limit: MOST_ROWS, ...(cursor && { cursor }) };
    const answer = await answered(api.GET('/v1/activity', { params: { query: page } }));
    rows.push(...answer.value.data);
    isStale ||= answer.isStale;
    cursor = answer.value.next_cursor;
  } while (cursor !== null);
  return { value: rows, isStale };
}
