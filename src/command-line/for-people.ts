import { printable } from './printable.js';

/** Formats a result for people: a table for a list, a line for each field of a record. */
export function forPeople(result: Readonly<Record<string, unknown>>): string {
  const { data } = result;
  if (Array.isArray(data)) return table(data.map((row: unknown) => Object.entries(row ?? {})));
  return lines(Object.entries(result).map(([field, value]) => [field, cell(value)]));
}

function table(rows: readonly (readonly [string, unknown][])[]): string {
  const [first] = rows;
  if (!first) return 'none\n';
  const header = first.map(([field]) => field);
  return lines([header, ...rows.map((row) => row.map(([, value]) => cell(value)))]);
}

function lines(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((text, column) => {
      widths[column] = Math.max(widths[column] ?? 0, text.length);
    });
  }
  return rows
    .map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function cell(value: unknown): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : printable(value.join(', '));
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}
