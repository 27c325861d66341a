import type { ComponentChildren } from 'preact';
import type { Answer } from '../api/client.js';
import { useRights } from '../frame/who.js';
import { addressOf, type Filters, go, usePlace } from '../routing/place.js';
import { Button } from './button.js';
import { Load } from './states.js';

export interface Column<Row> {
  readonly title: string;
  /** Numbers stand at the right, under each other. */
  readonly isNumber?: boolean;
  /** Such a column has controls, and is there only for those who may make changes. */
  readonly isChange?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

/** A table of records. On a narrow screen each row becomes a block with the titles in it. */
export function Table<Row>(props: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  empty: string;
}) {
  const { caption, rows, idOf, empty } = props;
  const { mayChange } = useRights();
  const columns = props.columns.filter(({ isChange }) => mayChange || !isChange);
  if (rows.length === 0) return <p class="none">{empty}</p>;
  return (
    <table>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, isNumber }) => (
            <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf(row)}>
            {columns.map(({ title, isNumber, cell }) => (
              <td key={title} data-title={title} class={isNumber ? 'number' : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The number of records on a page of a list. */
const PAGE_SIZE = 50;

/** A list that the service pages: a table of a page, and the way to other pages. */
export function List<Row>(props: {
  /** What the rows are, such as `keys`. */
  what: string;
  read: (page: {
    readonly offset: number;
    readonly limit: number;
  }) => Promise<Answer<{ readonly data: readonly Row[]; readonly total_count: number }>>;
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  /** What the list says without a row. */
  empty: string;
  /** The filter that holds the offset, where a page has several lists. */
  name?: string;
}) {
  const { what, name = 'offset' } = props;
  const { filters } = usePlace();
  const offset = offsetOf(filters[name]);
  return (
    <Load of={addressOf(what, filters)} by={() => props.read({ offset, limit: PAGE_SIZE })}>
      {({ data: rows, total_count: total }) => (
        <>
          <Table
            {...props}
            caption={what}
            rows={rows}
            empty={total > 0 ? `This page is beyond the last of the ${what}.` : props.empty}
          />
          <Pager total={total} what={what} name={name} offset={offset} />
        </>
      )}
    </Load>
  );
}

/** Returns which record a page of a list begins with. */
function offsetOf(text = '0'): number {
  const offset = Number(text);
  return Number.isSafeInteger(offset) && offset >= 0 ? offset : 0;
}

/** Leads from page to page of a list with an exact total. The address holds the page. */
function Pager(props: { total: number; what: string; name: string; offset: number }) {
  const { total, what, name, offset } = props;
  const { path, filters } = usePlace();
  const last = Math.max(0, Math.floor((total - 1) / PAGE_SIZE) * PAGE_SIZE);
  const to = (start: number): void =>
    go(addressOf(path, { ...filters, [name]: start === 0 ? undefined : String(start) }));
  const end = Math.min(offset + PAGE_SIZE, total);
  const starts = [
    ['First', 0],
    ['Previous', Math.max(0, offset - PAGE_SIZE)],
    ['Next', offset + PAGE_SIZE],
    ['Last', last],
  ] as const;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <span role="status">
        {offset < total ? `${offset + 1}–${end} of ${total}` : total} {what}
      </span>
      {total > PAGE_SIZE && (
        <span class="steps">
          {starts.map(([title, start]) => (
            <Button
              key={title}
              title={title}
              isOff={start === offset || start > last}
              onClick={() => to(start)}
            />
          ))}
        </span>
      )}
    </nav>
  );
}

/** A list that has a cursor and no total. The address holds the cursor. */
export function CursorList<Row>(props: {
  what: string;
  /** The filters of every page. */
  filters: Filters;
  read: (page: {
    readonly cursor?: string;
    readonly limit: number;
  }) => Promise<Answer<{ readonly data: Row[]; readonly next_cursor: string | null }>>;
  children: (rows: readonly Row[]) => ComponentChildren;
}) {
  const { what, filters } = props;
  const { path, filters: place } = usePlace();
  const { cursor } = place;
  const page = { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
  const to = (next?: string): void => go(addressOf(path, { ...filters, cursor: next }));
  return (
    <Load of={addressOf(what, { ...filters, cursor })} by={() => props.read(page)}>
      {({ data, next_cursor: next }) => (
        <>
          {props.children(data)}
          {(cursor !== undefined || next !== null) && (
            <nav class="pager" aria-label={`Pages of ${what}`}>
              <Button title="First" isOff={cursor === undefined} onClick={() => to()} />
              <Button title="Next" isOff={next === null} onClick={() => to(next ?? undefined)} />
            </nav>
          )}
        </>
      )}
    </Load>
  );
}
