import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { Refusal } from '../../../kernel/errors.js';
import type { Read } from '../../../kernel/read.js';
import { noteBroken } from '../server/response-outcome.js';
import { markStale } from './stale.js';

const JSON_TYPE = 'application/json';
export const NDJSON = 'application/x-ndjson';

declare module 'express' {
  interface Request {
    /** Whether the answer is a stream. Set by StreamLimitInterceptor. */
    isStreamed?: boolean;
  }
}

/** The number of listeners above which Node warns. The default is 10. A pipeline alone adds 7. */
const MOST_LISTENERS = 20;

/**
 * Whether a request prefers NDJSON to one JSON document.
 * @throws Refusal if so over HTTP/1.0, where a broken-off stream looks whole (docs/api.md 11.4).
 */
export function prefersNdjson(request: Request): boolean {
  if (request.accepts([JSON_TYPE, NDJSON]) !== NDJSON) return false;
  if (request.httpVersion === '1.0') throw new Refusal('http-version-unsupported');
  return true;
}

async function* linesOf(chunks: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    yield chunk.map((record) => `${JSON.stringify(record)}\n`).join('');
  }
}

/**
 * Sends one line for each record, and reads the next chunk when the client has received the
 * previous chunk. A fault closes the connection, so that a client notices an incomplete stream.
 * HEAD gets headers only.
 * @throws the error of the chunks. A client that disconnects ends the stream without an error.
 */
export async function sendNdjson(
  request: Request,
  response: Response,
  { found, isLate }: Read<AsyncIterable<readonly object[]>>,
): Promise<void> {
  // The client sets the pace of a stream, so a stream holds no slot of the account.
  request.releaseSlot?.();
  // A response that is closed emits no further close event, and the pipeline would wait for one.
  if (response.destroyed) return;
  markStale(response, isLate);
  response.setHeader('Content-Type', NDJSON);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  response.setMaxListeners(MOST_LISTENERS);
  const lines = Readable.from(linesOf(found), { highWaterMark: 1 });
  // This listener runs before the pipeline closes the connection.
  lines.once('error', (error) => {
    if (!isReaderGone(error)) noteBroken(response);
  });
  try {
    await pipeline(lines, response);
  } catch (error) {
    if (!isReaderGone(error)) throw error;
  }
}

function isReaderGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
}
