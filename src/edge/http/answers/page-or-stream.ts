import type { Request, Response } from 'express';
import type { PlacedPage } from '../../../event-sourcing/projections/list-in-parts.js';
import type { Read } from '../../../kernel/read.js';
import { sendNdjson } from './ndjson.js';
import { markStale } from './stale.js';

export interface PageOrStream {
  readonly page: () => Promise<Read<PlacedPage<object>>>;
  readonly stream: () => Promise<Read<AsyncIterable<readonly object[]>>>;
  /** Returns the cursor for the place after which the next page begins. */
  readonly cursorAt: (place: string) => string;
}

/** Answers with a page and its cursor, or with a stream of all. Needs StreamLimitInterceptor. */
export async function sendPageOrStream(
  request: Request,
  response: Response,
  { page, stream, cursorAt }: PageOrStream,
): Promise<void> {
  if (request.isStreamed === true) return sendNdjson(request, response, await stream());
  const { found, isLate } = await page();
  markStale(response, isLate);
  const next_cursor = found.next === null ? null : cursorAt(found.next);
  response.json({ data: found.records, next_cursor });
}
