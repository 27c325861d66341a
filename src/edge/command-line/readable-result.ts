import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import { inspect } from 'node:util';

type Row = Readonly<Record<string, unknown>>;

/**
 * Formats a result for people: a table for a list, a line for each field of a record (docs/cli.md).
 * Nothing is cut, because the next command may need it.
 */
export function readableResult(result: Row): string {
  const { data } = result;
  if (Array.isArray(data)) return readableTable(data as readonly Row[]);
  return Object.entries(result)
    .map(([field, value]) => `${field}: ${cell(value)}\n`)
    .join('');
}

/** Formats rows by Node's `console.table`, because Node has no other printer of tables. */
export function readableTable(rows: readonly Row[]): string {
  if (rows.length === 0) return 'none\n';
  const printed = new PassThrough();
  new Console(printed).table(rows.map(inCells));
  return String(printed.read());
}

/** Returns a row whose cells `console.table` prints as they are, without quotation marks. */
function inCells(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([field, value]) => [field, { [inspect.custom]: () => cell(value) }]),
  );
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : printable(value.join(', '));
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Escapes control characters, so that a text stays in one line and cannot control the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
