import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { inFull, onTheWire, type RawAnswer, rawAnswer } from './raw-answer.js';
import { requestIdOf } from './request-id.js';
import { responsesInFlight } from './responses-in-flight.js';

const ANSWERS: Readonly<Record<string, RawAnswer>> = {
  HPE_HEADER_OVERFLOW: rawAnswer('headers-too-large', 'Request Header Fields Too Large'),
  ERR_HTTP_REQUEST_TIMEOUT: rawAnswer('request-timeout', 'Request Timeout'),
};

const MALFORMED = rawAnswer('request-malformed', 'Bad Request');

const NO_PROXY: RawAnswer = { ...MALFORMED, message: 'The service is no proxy' };

const UNEXPECTED = rawAnswer('expectation-failed', 'Expectation Failed');

/** How long a client may take to close its connection after the answer. */
const LINGER_MS = 2_000;

/**
 * Answers errors that Node would answer itself, so that the answers have the error body: invalid HTTP, time-outs,
 * CONNECT and unknown expectations. Only read-body.ts sends 100 Continue, when it reads a body.
 */
export function answerSocketErrors(server: Server): void {
  const inFlight = responsesInFlight(server);
  const ending = new WeakSet<Socket>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // Node reports an error for each further packet.
    if (ending.has(socket)) return;
    ending.add(socket);
    const answer = ANSWERS[error.code ?? ''] ?? MALFORMED;
    // This is the answer to the incomplete request. Earlier requests get their answers first.
    const owed = inFlight.of(socket);
    const awaited = owed.findLast(({ req }) => req.complete);
    const own = owed.find(({ req }) => !req.complete);
    endAfter(awaited, answer, socket, own ? requestIdAnswered(own) : randomUUID());
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node has removed its listeners, and an error without a listener ends the process.
    socket.on('error', () => socket.destroy());
    // Node no longer forwards `drain` to the answer that is being sent.
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

/** Returns the request id of a response. The log has the same id. */
function requestIdAnswered(response: ServerResponse): string {
  const given = response.getHeader('X-Request-Id');
  return typeof given === 'string' ? given : requestIdOf(response.req);
}

/** Ends a connection with an answer. @param awaited the response that the connection sends first. */
function endAfter(
  awaited: ServerResponse | undefined,
  answer: RawAnswer,
  socket: Socket,
  requestId: string,
): void {
  if (awaited) awaited.once('close', () => endWith(answer, socket, requestId));
  else endWith(answer, socket, requestId);
}

function endWith(answer: RawAnswer, socket: Socket, requestId: string): void {
  if (!socket.writable) return;
  socket.end(onTheWire(answer, requestId));
  // Node may no longer count the socket among the connections of the server, so nothing else closes it.
  const lingered = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => {
    clearTimeout(lingered);
  });
  socket.resume();
}
