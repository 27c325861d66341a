import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import Negotiator from 'negotiator';
import { Refusal } from '../kernel/errors.js';
import { noteBroken } from './broken-answers.js';

const JSON_TYPE = 'application/json';
export const NDJSON = 'application/x-ndjson';

/** Node's pipeline alone listens seven times for the end of a response; more than ten in all pass for a leak. */
const MOST_LISTENERS = 20;

/** It changes nothing: both are in UTF-8. Named by one side alone, it would keep types from being told as the same. */
const CHARSET = /;\s*charset="?utf-8"?(?=\s*(?:[;,]|$))/gi;

/** Whether a request would rather have a line for each record than one JSON document. */
export function prefersNdjson({ headers }: Request): boolean {
  const accept = headers.accept?.replace(CHARSET, '');
  return new Negotiator({ headers: { accept } }).mediaType([JSON_TYPE, NDJSON]) === NDJSON;
}

/**
 * Refuses a stream to a client, mostly a proxy, that could not tell a part of one from the whole (docs/api.md 11.4).
 * @throws Refusal for HTTP/1.0.
 */
export function requireChunks({ httpVersion }: Request): void {
  if (httpVersion === '1.0') throw new Refusal('http-version-unsupported');
}

/** Each record of each chunk as a line. */
async function* linesOf(chunks: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    yield chunk.map((record) => `${JSON.stringify(record)}\n`).join('');
  }
}

/**
 * Answers with records as lines, and takes the next chunk only when the reader has taken the one before. A reader
 * that leaves ends it; a fault breaks the connection, so that no part passes for the whole.
 */
export async function sendNdjson(
  request: Request,
  response: Response,
  chunks: AsyncIterable<readonly object[]>,
): Promise<void> {
  response.setHeader('Content-Type', NDJSON);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  // The reader sets the pace of a stream; it takes part in no turn any more.
  request.leaveTurn?.();
  response.setMaxListeners(MOST_LISTENERS);
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
