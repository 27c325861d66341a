import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody } from './error-body.js';

interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: 'Request Header Fields Too Large',
    message: 'The request headers are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    reason: 'Request Timeout',
    message: 'The request took too long to arrive',
  },
};

const MALFORMED: Answer = {
  status: 400,
  reason: 'Bad Request',
  message: 'The request is not valid HTTP',
};

const UNEXPECTED: Answer = {
  status: 417,
  reason: 'Expectation Failed',
  message: 'The Expect header asks for what the service does not do',
};

/**
 * Answers what Node would refuse by itself, before there is a request to handle, like any other error: what is
 * no HTTP (such as a conflicting Content-Length) and what expects the unknown.
 */
export function answerSocketErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const answer = ANSWERS[error.code ?? ''] ?? MALFORMED;
    const { headers, body } = inFull(answer);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${answer.status} ${answer.reason}\r\n${lines.join('')}\r\n${body}`);
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { headers, body } = inFull(UNEXPECTED);
    response.writeHead(UNEXPECTED.status, headers).end(body);
  });
}

function inFull(answer: Answer): { headers: Record<string, string>; body: string } {
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody(answer, { requestId }));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { headers, body };
}
