import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ANSWER_HEADERS } from './answer-headers.js';
import { errorBody, type ToldError } from './error-body.js';
import { FAULT_TABLE, type FaultCode } from './error-table.js';
import { requestIdOf } from './request-id.js';
import { responsesInFlight } from './responses-in-flight.js';

interface Answer extends ToldError {
  /** Of the status line. */
  readonly phrase: string;
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: answer('headers-too-large', 'Request Header Fields Too Large'),
  ERR_HTTP_REQUEST_TIMEOUT: answer('request-timeout', 'Request Timeout'),
};

const MALFORMED = answer('request-malformed', 'Bad Request');

const NO_PROXY: Answer = { ...MALFORMED, message: 'The service is no proxy' };

const UNEXPECTED = answer('expectation-failed', 'Expectation Failed');

/** How long whoever was answered may take to close the connection. */
const LINGER_MS = 2_000;

/**
 * Answers what Node would answer by itself, before there is a request to handle: what is no HTTP (such as a
 * conflicting Content-Length), what takes the service for a proxy and what expects the unknown, like any other error;
 * and an expected 100 Continue only once the body is wanted (json-body.interceptor.ts).
 */
export function answerSocketErrors(server: Server): void {
  const inFlight = responsesInFlight(server);
  const ending = new WeakSet<Socket>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // Every further packet is an error again.
    if (ending.has(socket)) return;
    ending.add(socket);
    const told = ANSWERS[error.code ?? ''] ?? MALFORMED;
    // A request that broke off gets this answer for its own; those before it get theirs first.
    const owed = inFlight.of(socket);
    const awaited = owed.findLast(({ req }) => req.complete);
    const own = owed.find(({ req }) => !req.complete);
    endAfter(awaited, told, socket, own ? idGiven(own) : randomUUID());
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node no longer listens, and an error that nobody hears ends the process.
    socket.on('error', () => socket.destroy());
    // Nor does it pass on that the socket takes more of an answer that is being sent.
    socket.on('drain', () => inFlight.of(socket)[0]?.emit('drain'));
    endAfter(inFlight.of(socket).at(-1), NO_PROXY, socket, requestIdOf(request));
  });
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { headers, body } = inFull(UNEXPECTED, requestIdOf(request));
    response.writeHead(UNEXPECTED.status, headers).end(body);
  });
}

function answer(reason: FaultCode, phrase: string): Answer {
  return { reason, phrase, ...FAULT_TABLE[reason] };
}

/** What the request of a response is called, in the log too. */
function idGiven(response: ServerResponse): string {
  const given = response.getHeader('X-Request-Id');
  return typeof given === 'string' ? given : requestIdOf(response.req);
}

/** @param awaited that the connection owes before. */
function endAfter(
  awaited: ServerResponse | undefined,
  answer: Answer,
  socket: Socket,
  requestId: string,
): void {
  if (awaited) awaited.once('close', () => endWith(answer, socket, requestId));
  else endWith(answer, socket, requestId);
}

function endWith(answer: Answer, socket: Socket, requestId: string): void {
  if (!socket.writable) return;
  const { headers, body } = inFull(answer, requestId);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${answer.status} ${answer.phrase}\r\n${lines.join('')}\r\n${body}`);
  // Nobody else does: the server may not count it among its connections any more.
  const lingered = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => {
    clearTimeout(lingered);
  });
  socket.resume();
}

function inFull(
  answer: Answer,
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
