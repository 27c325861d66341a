import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Request, Response } from 'express';
import Negotiator from 'negotiator';
import { Refusal } from '../kernel/errors.js';
import { noteBroken } from './response-outcome.js';

const JSON_TYPE = 'application/json';
export const NDJSON = 'application/x-ndjson';

const IDENTITY = 'identity';
const GZIP = 'gzip';

/** The gzip options that flush after each chunk of lines. So a client gets lines promptly even from a slow store. */
const GZIP_OPTIONS = { flush: constants.Z_SYNC_FLUSH };

/** The number of listeners above which Node warns of a leak. The default is ten. Node's pipeline alone adds seven. */
const MOST_LISTENERS = 20;

/** The charset of a type in `Accept`. Negotiator would match no type with a charset. The service always sends UTF-8. */
const CHARSET = /;\s*charset="?utf-8"?(?=\s*(?:[;,]|$))/gi;

/** Whether a request prefers NDJSON to one JSON document. */
export function prefersNdjson({ headers }: Request): boolean {
  const accept = headers.accept?.replace(CHARSET, '');
  return new Negotiator({ headers: { accept } }).mediaType([JSON_TYPE, NDJSON]) === NDJSON;
}

/**
 * Refuses a stream over HTTP/1.0, where a client cannot detect a stream that broke off (docs/api.md 11.4).
 * @throws Refusal for HTTP/1.0.
 */
export function requireChunks({ httpVersion }: Request): void {
  if (httpVersion === '1.0') throw new Refusal('http-version-unsupported');
}

/** Yields the lines of each chunk as one string. */
async function* linesOf(chunks: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    yield chunk.map((record) => `${JSON.stringify(record)}\n`).join('');
  }
}

/** Whether a request prefers gzip. If the request excludes gzip and identity, the stream is sent uncompressed. */
function prefersGzip({ headers }: Request): boolean {
  return new Negotiator({ headers }).encoding([GZIP, IDENTITY]) === GZIP;
}

/**
 * Sends one line for each record, and reads the next chunk when the client has received the previous chunk.
 * A fault closes the connection, so that a client notices an incomplete stream. HEAD gets headers only.
 * For a request that prefers gzip, the thread pool of Node compresses the lines (docs/api.md 11.4).
 * @throws the error that `chunks` throws. A client that disconnects ends the stream without an error.
 */
export async function sendNdjson(
  request: Request,
  response: Response,
  chunks: AsyncIterable<readonly object[]>,
): Promise<void> {
  const isCompressed = prefersGzip(request);
  response.setHeader('Content-Type', NDJSON);
  if (isCompressed) response.setHeader('Content-Encoding', GZIP);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  // The client sets the pace of a stream, so a stream holds no slot of the account.
  request.releaseSlot?.();
  response.setMaxListeners(MOST_LISTENERS);
  const lines = Readable.from(linesOf(chunks), { highWaterMark: 1 });
  const stages = isCompressed ? [lines, createGzip(GZIP_OPTIONS)] : [lines];
  // These listeners run before the pipeline closes the connection.
  for (const stage of stages) {
    stage.once('error', (error) => {
      if (!isReaderGone(error)) noteBroken(response);
    });
  }
  try {
    await pipeline([...stages, response]);
  } catch (error) {
    if (!isReaderGone(error)) throw error;
  }
}

function isReaderGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
}
