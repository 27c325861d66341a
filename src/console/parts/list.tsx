import type { Loaded } from '../api/use-answer.js';
import { Show } from './states.js';
import { type Column, Pager, Table } from './table.js';

/** A list that the service pages: a table of what was loaded, and the way to other pages. */
export function List<Row>({
  what,
  loaded,
  columns,
  idOf,
  empty,
  name,
}: {
  /** What the rows are, such as `keys`. */
  what: string;
  loaded: Loaded<{ readonly data: readonly Row[]; readonly total_count: number }>;
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  /** What the list says without a row. */
  empty: string;
  /** The filter that holds the offset, where a page has several lists. */
  name?: string;
}) {
  return (
    <Show loaded={loaded}>
      {({ data: rows, total_count: total }) => (
        <>
          <Table
            caption={what}
            columns={columns}
            rows={rows}
            idOf={idOf}
            empty={total > 0 ? `This page is beyond the last of the ${what}.` : empty}
          />
          <Pager total={total} what={what} name={name} />
        </>
      )}
    </Show>
  );
}
