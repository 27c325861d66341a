import { answered, api } from '../../api/client.js';
import { csvOfActivity } from './csv.js';
import type { TableQuery } from './activity-query.js';

const KEPT_MS = 60_000;

/**
 * Saves all rows that match as a file, by the stream of the API.
 * @throws Failure, or TypeError when the stream breaks off
 */
export async function saveActivity(query: TableQuery, type: 'ndjson' | 'csv'): Promise<void> {
  const headers = { Accept: 'application/x-ndjson' };
  const { value: stream } = await answered(
    api.GET('/v1/activity', { params: { query }, headers, parseAs: 'stream' }),
  );
  const rows = type === 'csv' ? stream.pipeThrough(csvOfActivity()) : stream;
  const { group_by: by, from, to } = query;
  saveFile(`activity-by-${by}-${from}-${to}.${type}`, await new Response(rows).blob());
}

function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
