import { isUtf8 } from 'node:buffer';
import type { Request, RequestHandler, Response } from 'express';
import { Refusal } from '../../../kernel/errors.js';

/** The longest time in which no data arrives of a body that is being read. */
const BODY_SILENCE_MS = 5_000;

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

/** The `verify` of a parser. Express decodes other charsets, and replaces what is no UTF-8. */
export function requireUtf8(_: unknown, __: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw new Refusal('charset-unsupported');
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
    case 'charset.unsupported':
      return new Refusal('charset-unsupported');
    case 'entity.parse.failed':
      return invalidBody('must be valid JSON');
    default:
      return invalidBody('could not be read');
  }
}

export function announcesBody({ headers }: Request): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

export function invalidBody(problem: string): Refusal {
  return new Refusal('request-invalid', {
    issues: [{ path: '', message: `the request body ${problem}` }],
  });
}
