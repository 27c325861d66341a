import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { noteBroken } from './broken-answers.js';

export const JSON_TYPE = 'application/json';
export const NDJSON = 'application/x-ndjson';

/** Both as readers may name them: a parameter that only one side names keeps types from being told as the same. */
const UTF_8 = 'charset=utf-8';
const OFFERED = [JSON_TYPE, `${JSON_TYPE};${UTF_8}`, NDJSON, `${NDJSON};${UTF_8}`];

/** Whether a request would rather have a line for each record than one JSON document. */
export function prefersNdjson(request: Request): boolean {
  const preferred = request.accepts(OFFERED);
  return preferred !== false && preferred.startsWith(NDJSON);
}

/** Each record of each chunk as a line. */
export async function* linesOf(chunks: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    yield chunk.map((record) => `${JSON.stringify(record)}\n`).join('');
  }
}

/**
 * Answers with records as lines, and takes the next chunk only when the reader has taken the one before. A reader
 * that leaves ends it; a fault breaks the connection, so that no part passes for the whole.
 */
export async function sendNdjson(
  { method }: Request,
  response: Response,
  chunks: AsyncIterable<readonly object[]>,
): Promise<void> {
  response.setHeader('Content-Type', NDJSON);
  if (method === 'HEAD') {
    response.end();
    return;
  }
  const lines = Readable.from(linesOf(chunks), { highWaterMark: 1 });
  // Before the pipeline closes the connection.
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
