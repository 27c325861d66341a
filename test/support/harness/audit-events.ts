import type { AuditEvent } from '../../../src/features/audit-trail/domain/audit-event.js';
import type { Answer, Call, HttpClient } from './http-client.js';

export interface AuditPage {
  readonly data: readonly AuditEvent[];
  readonly next_cursor: string | null;
}

/** Reads a page of the audit trail. @param query such as `action=key.created&limit=1`. */
export function auditPage(
  client: HttpClient,
  query = '',
  call: Call = {},
): Promise<Answer<AuditPage>> {
  return client.get<AuditPage>(`/v1/audit-events?${query}`, call);
}

/** Reads all matching events page by page, newest first. */
export async function auditEvents(client: HttpClient, query = ''): Promise<AuditEvent[]> {
  const events: AuditEvent[] = [];
  let cursor = '';
  for (;;) {
    const { status, text, body } = await auditPage(client, query + cursor);
    if (status !== 200) throw new Error(`a page was answered with ${status} ${text}`);
    events.push(...body.data);
    if (body.next_cursor === null) return events;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

/** Parses the records of an NDJSON body. */
export function recordsIn(text: string): AuditEvent[] {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('the last line has no end');
  return lines.map((line) => JSON.parse(line) as AuditEvent);
}
