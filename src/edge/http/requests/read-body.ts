import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { Refusal } from '../../../kernel/errors.js';
import { checkValues } from './body-values.js';

/** The longest time in which no data arrives of a body that is being read. */
const BODY_SILENCE_MS = 5_000;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;
/** Leaves out a byte order mark. */
const UTF8 = new TextDecoder();

/**
 * Reads the body of a request with a parser of Express into `request.body` (docs/api.md 1.5).
 * @throws Refusal for a body that is too large, not accepted by the parser, or that stops arriving.
 */
export function readBody(
  request: Request,
  response: Response,
  limitBytes: number,
  parser: RequestHandler,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopped = (): void => reject(new Refusal('body-timeout'));
    const timer = request.complete ? undefined : setTimeout(stopped, BODY_SILENCE_MS);
    const restart = (): void => void timer?.refresh();
    if (timer) request.on('data', restart);
    parser(request, response, (error?: unknown) => {
      request.off('data', restart);
      clearTimeout(timer);
      if (error === undefined) resolve();
      else reject(readFault(error, limitBytes));
    });
  });
}

/** The `verify` of a parser. */
export function requireUtf8({ headers }: IncomingMessage, _: unknown, body: Buffer): void {
  const [, charset = 'utf-8'] = CHARSET.exec(headers['content-type'] ?? '') ?? [];
  if (charset.toLowerCase() !== 'utf-8') throw new Refusal('charset-unsupported');
  if (!isUtf8(body)) throw invalidBody('must be valid UTF-8');
}

function readFault(error: unknown, limitBytes: number): Refusal {
  if (error instanceof Refusal) return error;
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return new Refusal('body-too-large', { limit_bytes: limitBytes });
    case 'encoding.unsupported':
      return new Refusal('encoding-unsupported');
    default:
      return invalidBody('could not be read');
  }
}

/**
 * Parses the bytes of a body as a JSON object (docs/api.md 1.5).
 * @param ownKey the key string that the request is made with.
 * @param unstored the field of the body that may hold a key string, because it is not stored.
 * @throws Refusal for other JSON, and for a body that is too deep, too long or has a key string.
 */
export function parseBody(bytes: unknown, ownKey: string, unstored?: string): object {
  let body: unknown;
  try {
    if (bytes instanceof Uint8Array && bytes.length > 0) body = JSON.parse(UTF8.decode(bytes));
  } catch {
    throw invalidBody('must be valid JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidBody('must be a JSON object');
  }
  checkValues(body, ownKey, unstored);
  return body;
}

export function announcesBody({ headers }: Request): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function invalidBody(problem: string): Refusal {
  return new Refusal('request-invalid', {
    issues: [{ path: '', message: `the request body ${problem}` }],
  });
}
