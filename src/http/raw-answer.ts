import { ANSWER_HEADERS } from './answer-headers.js';
import { type ErrorAnswer, errorBody } from './error-body.js';
import { FAULT_TABLE, type FaultCode } from './error-table.js';

/** An error answer that is sent without Express, directly on a socket or with a response of Node's HTTP server. */
export interface RawAnswer extends ErrorAnswer {
  /** The reason phrase of the status line. */
  readonly phrase: string;
}

export function rawAnswer(reason: FaultCode, phrase: string): RawAnswer {
  return { reason, phrase, ...FAULT_TABLE[reason] };
}

/** Returns the body and all headers of an error answer, among them the headers of every answer (docs/api.md 1.1). */
export function inFull(
  answer: RawAnswer,
  requestId: string,
): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify(errorBody(answer, { requestId }));
  const headers = {
    ...ANSWER_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { headers, body };
}

/** Returns the complete answer as HTTP/1.1 sends it over a connection. */
export function onTheWire(answer: RawAnswer, requestId: string): string {
  const { headers, body } = inFull(answer, requestId);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${answer.status} ${answer.phrase}\r\n${lines.join('')}\r\n${body}`;
}
