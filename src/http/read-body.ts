import type { Request, RequestHandler, Response } from 'express';
import { bodyTooLarge, Refusal } from '../kernel/errors.js';

/** The size up to which too large a body is read. Some clients send the whole body before they read the answer. */
const DRAIN_LIMIT_BYTES = 1024 * 1024;

/**
 * Reads the body of a request with a parser of Express (docs/api.md 1.5).
 * @throws Refusal for a body that is too large, or that the parser does not accept.
 */
export function readBody(
  request: Request,
  response: Response,
  limitBytes: number,
  reader: RequestHandler,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let settled = false as boolean;
    reader(request, response, (error?: unknown) => {
      settled = true;
      if (error === undefined) resolve(request.body);
      else reject(readFault(error, limitBytes));
    });
    if (settled) return;
    const refuseFlood = (): void => {
      if (settled) return;
      settled = true;
      response.setHeader('Connection', 'close');
      reject(bodyTooLarge(limitBytes));
    };
    if (Number(request.headers['content-length']) > DRAIN_LIMIT_BYTES) {
      refuseFlood();
      return;
    }
    whenBeyondDrainLimit(request, refuseFlood);
    if (expectsContinue(request)) response.writeContinue();
  });
}

/** Calls `exceeded` when more than DRAIN_LIMIT_BYTES arrive. The parser refuses a large body only at the body's end. */
function whenBeyondDrainLimit(request: Request, exceeded: () => void): void {
  let received = 0;
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > DRAIN_LIMIT_BYTES) exceeded();
  });
}

/** Whether a client expects 100 Continue. `socket-errors.ts` refuses other expectations, and HTTP/1.0 has none. */
function expectsContinue({ headers, httpVersion }: Request): boolean {
  return headers.expect !== undefined && httpVersion === '1.1';
}

function readFault(error: unknown, limitBytes: number): Refusal {
  if (error instanceof Refusal) return error;
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return bodyTooLarge(limitBytes);
    case 'encoding.unsupported':
      return new Refusal('encoding-unsupported');
    case 'entity.parse.failed':
      return invalidBody('must be valid JSON');
    default:
      return invalidBody('could not be read');
  }
}

/** Makes the refusal of a body that is invalid as a whole. */
export function invalidBody(problem: string): Refusal {
  return new Refusal('request-invalid', {
    issues: [{ path: '', message: `the request body ${problem}` }],
  });
}
