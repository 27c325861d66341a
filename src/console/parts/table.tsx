import type { ComponentChildren } from 'preact';
import { addressOf, go, usePlace } from '../routing/place.js';
import { Empty } from './states.js';

export interface Column<Row> {
  readonly title: string;
  /** Numbers stand at the right, under each other. */
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

/** A table of records. On a narrow screen each row becomes a block with the titles in it. */
export function Table<Row>({
  caption,
  columns,
  rows,
  idOf,
  empty,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  empty: ComponentChildren;
}) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
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
export const PAGE_SIZE = 50;

/**
 * Returns which record a page of a list begins with, as the address says.
 * @param name the filter that says it, where a page has more than one list.
 */
export function offsetOf(filters: Readonly<Record<string, string>>, name = 'offset'): number {
  const offset = Number(filters[name] ?? 0);
  return Number.isSafeInteger(offset) && offset >= 0 ? offset : 0;
}

/** Leads from page to page of a list with an exact total. The address holds the page. */
export function Pager({
  total,
  what,
  name = 'offset',
}: {
  total: number;
  what: string;
  name?: string | undefined;
}) {
  const { path, filters } = usePlace();
  const offset = offsetOf(filters, name);
  const last = Math.max(0, Math.floor((total - 1) / PAGE_SIZE) * PAGE_SIZE);
  const to = (start: number): void =>
    go(addressOf(path, { ...filters, [name]: start === 0 ? undefined : String(start) }));
  const shown =
    offset < total ? `${offset + 1}–${Math.min(offset + PAGE_SIZE, total)} of ${total}` : total;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <span role="status">
        {shown} {what}
      </span>
      {total > PAGE_SIZE && (
        <span class="steps">
          <Step title="First" isOff={offset === 0} go={() => to(0)} />
          <Step
            title="Previous"
            isOff={offset === 0}
            go={() => to(Math.max(0, offset - PAGE_SIZE))}
          />
          <Step title="Next" isOff={offset >= last} go={() => to(offset + PAGE_SIZE)} />
          <Step title="Last" isOff={offset >= last} go={() => to(last)} />
        </span>
      )}
    </nav>
  );
}

function Step({ title, isOff, go: onClick }: { title: string; isOff: boolean; go: () => void }) {
  return (
    <button type="button" class="secondary" disabled={isOff} onClick={onClick}>
      {title}
    </button>
  );
}
