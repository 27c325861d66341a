import { COLUMNS, padded, shortened, widthOf } from './layout.js';
import { printable } from './printable.js';

type Row = Readonly<Record<string, unknown>>;

const GAP = '  ';
/** The width below which no cell of a table is shortened, in columns of a terminal. */
const NARROWEST = 16;
/** A hash or a UUID. People copy it, so it is never shortened. */
const IDENTIFIER = /^(?:[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

interface Column {
  readonly field: string;
  readonly cells: readonly string[];
  readonly isIdentifier: boolean;
  readonly width: number;
}

/**
 * Formats a result for people: a table for a list, a line for each field of a record (docs/api.md 9).
 * @param fields the columns of the table. Default: every field.
 */
export function forPeople(result: Row, fields?: readonly string[]): string {
  const { data } = result;
  if (Array.isArray(data)) return table(data as readonly Row[], fields);
  const width = Math.max(...Object.keys(result).map(widthOf));
  return Object.entries(result)
    .map(([field, value]) => line([padded(field, width), cell(value)]))
    .join('');
}

/**
 * Formats a table of at most 100 columns of a terminal. If rows are wider, hashes and ids first move to lines of their
 * own below the row. Then the widest texts are shortened.
 */
function table(rows: readonly Row[], fields?: readonly string[]): string {
  const [first] = rows;
  if (!first) return 'none\n';
  const columns = (fields ?? Object.keys(first)).map((field) => columnOf(field, rows));
  const beside = arranged(columns);
  const kept = new Set(beside.map(({ field }) => field));
  const below = columns.filter(({ field }) => !kept.has(field));
  const labels = Math.max(0, ...below.map(({ field }) => widthOf(field)));
  const lines = [line(beside.map(({ field, width }) => padded(field, width)))];
  rows.forEach((_, index) => {
    lines.push(
      line(beside.map(({ cells, width }) => padded(shortened(cells[index] ?? '', width), width))),
    );
    for (const { field, cells } of below) {
      const room = COLUMNS - 2 * GAP.length - labels;
      lines.push(line(['', padded(field, labels), shortened(cells[index] ?? '', room)]));
    }
  });
  return lines.join('');
}

function columnOf(field: string, rows: readonly Row[]): Column {
  const cells = rows.map((row) => cell(row[field]));
  return {
    field,
    cells,
    isIdentifier: cells.some((text) => IDENTIFIER.test(text)),
    width: Math.max(widthOf(field), ...cells.map(widthOf)),
  };
}

/** Returns the columns that stay beside each other, with widths at which they fit. The first column always stays. */
function arranged(columns: readonly Column[]): readonly Column[] {
  let beside = columns.map((column) => ({ ...column, width: Math.min(column.width, COLUMNS) }));
  while (beside.length > 1 && widthBeside(beside) > COLUMNS) {
    const identifier = widest(beside.slice(1).filter(({ isIdentifier }) => isIdentifier));
    const text = widest(
      beside.filter(({ isIdentifier, width }) => !isIdentifier && width > NARROWEST),
    );
    if (!identifier && text) text.width -= 1;
    else {
      const moved = identifier ?? beside.at(-1);
      beside = beside.filter((column) => column !== moved);
    }
  }
  return beside;
}

function widthBeside(columns: readonly Column[]): number {
  return columns.reduce((sum, { width }) => sum + width, GAP.length * (columns.length - 1));
}

function widest<Kind extends Column>(columns: readonly Kind[]): Kind | undefined {
  return columns.reduce<Kind | undefined>(
    (found, column) => (found && found.width >= column.width ? found : column),
    undefined,
  );
}

function line(parts: readonly string[]): string {
  return `${parts.join(GAP).trimEnd()}\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : printable(value.join(', '));
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}
