import { answered, api, type Schemas } from '../../api/client.js';
import { plainDecimal } from '../../parts/money.js';
import type { TableQuery } from './activity-query.js';

const KEPT_MS = 60_000;

/**
 * Saves all rows that match as a file, by the stream of the API. Its name says if it is stale.
 * @throws Failure, or TypeError when the stream breaks off
 */
export async function saveActivity(query: TableQuery, type: 'ndjson' | 'csv'): Promise<void> {
  const headers = { Accept: 'application/x-ndjson' };
  const { value: stream, isStale } = await answered(
    api.GET('/v1/activity', { params: { query }, headers, parseAs: 'stream' }),
  );
  const rows = type === 'csv' ? stream.pipeThrough(csvOfActivity()) : stream;
  const { group_by: by, from, to } = query;
  const name = `activity-by-${by}-${from}-${to}${isStale ? '-may-be-out-of-date' : ''}.${type}`;
  saveFile(name, await new Response(rows).blob());
}

function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

const FIELDS = [
  'date',
  'api_key_hash',
  'user',
  'workspace_id',
  'usage',
  'byok_usage',
  'requests',
] as const;

/** The beginnings of texts that a spreadsheet would take for formulas. */
const LIKE_A_FORMULA = /^[=+\-@]/;

/** Returns a line of CSV (RFC 4180). A text that is like a formula begins with an apostrophe. */
function lineOf(values: readonly (string | number | null)[]): string {
  const texts = values.map((value) => {
    if (value === null) return '';
    if (typeof value === 'number') return plainDecimal(value);
    const text = LIKE_A_FORMULA.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${texts.join(',')}\r\n`;
}

/** Makes CSV, with the names of the fields in its first line, of a stream of NDJSON. */
function csvOfActivity(): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let begun = '';
  const csvOf = (line: string): string => {
    if (line === '') return '';
    const row = JSON.parse(line) as Schemas['Activity'];
    return lineOf(FIELDS.map((field) => row[field]));
  };
  return new TransformStream({
    start(controller) {
      controller.enqueue(encoder.encode(lineOf(FIELDS)));
    },
    transform(chunk, controller) {
      const lines = (begun + decoder.decode(chunk, { stream: true })).split('\n');
      begun = lines.pop() ?? '';
      controller.enqueue(encoder.encode(lines.map(csvOf).join('')));
    },
    flush(controller) {
      controller.enqueue(encoder.encode(csvOf(begun)));
    },
  });
}
