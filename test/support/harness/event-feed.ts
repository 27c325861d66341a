import type { AuditEvent } from '../../../src/features/audit-trail/domain/audit-event.js';
import type { Answer, HttpClient } from './http-client.js';

export interface EventsAnswer {
  readonly data: readonly AuditEvent[];
  readonly next_cursor: string;
  readonly has_more: boolean;
}

/** Asks the feed. @param query such as `after=latest`. */
export function askFeed(client: HttpClient, query = ''): Promise<Answer<EventsAnswer>> {
  return client.get<EventsAnswer>(`/v1/events?${query}`);
}

/** Asks the feed, and gives an answer that is not an error. */
export async function readFeed(client: HttpClient, query = ''): Promise<EventsAnswer> {
  const { status, text, body } = await askFeed(client, query);
  if (status !== 200) throw new Error(`the feed was answered with ${status} ${text}`);
  return body;
}

/** Gives the cursor behind the last event. */
export async function latestCursor(client: HttpClient, filter = ''): Promise<string> {
  return (await readFeed(client, `after=latest&${filter}`)).next_cursor;
}
