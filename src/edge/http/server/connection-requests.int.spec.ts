import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { boundedByConnection } from './connection-requests.js';

const MOST_IN_WORK = 8;
const MOST_WAITING = 10_000;

describe('the requests of one connection', () => {
  let server: Server;
  let client: Socket;
  let received: string;
  let begun: { path: string; request: IncomingMessage; response: ServerResponse }[];
  let closed: string[];
  let connection: Socket | undefined;
  let answersAtOnce: boolean;

  beforeEach(async () => {
    [received, begun, closed, answersAtOnce] = ['', [], [], false];
    server = createServer(
      boundedByConnection((request, response) => {
        const { url: path = '', socket } = request;
        begun.push({ path, request, response });
        response.once('close', () => closed.push(path));
        connection = socket;
        if (answersAtOnce) response.end(`answer of ${path}.`);
      }),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    await once(client, 'connect');
  });

  afterEach(async () => {
    client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function send(count: number, from = 0): void {
    const requests = Array.from(
      { length: count },
      (_, index) => `GET /${from + index} HTTP/1.1\r\nHost: a\r\n\r\n`,
    );
    client.write(requests.join(''));
  }

  const paths = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `/${index}`);
  const haveBegun = (count: number): Promise<unknown> =>
    eventually(`${count} requests in work`, () => begun.length === count);

  /** Answers all requests that are in work, and those that begin later at once. */
  function answerAll(): void {
    answersAtOnce = true;
    for (const { path, response } of begun) response.end(`answer of ${path}.`);
  }

  it('are at most 8 in work, and the others begin in order as answers are sent', async () => {
    send(20);
    await haveBegun(MOST_IN_WORK);
    begun[1]?.response.end();
    begun[0]?.response.end();
    await haveBegun(MOST_IN_WORK + 2);
    expect(closed).toEqual(['/0', '/1']);
    answerAll();
    await haveBegun(20);
    expect(begun.map(({ path }) => path)).toEqual(paths(20));
  });

  it('are not read while one waits, also when answers are sent, and all are answered', async () => {
    const many = 20_000;
    send(many);
    await haveBegun(MOST_IN_WORK);
    begun[0]?.response.end();
    await haveBegun(MOST_IN_WORK + 1);
    await eventually('the connection is not read', () => connection?.isPaused());
    // A chunk has at most 64 KiB. The requests have 700 KB.
    expect(connection?.bytesRead).toBeLessThan(3 * 64 * 1024);
    answerAll();
    await eventually('the last answer', () => received.includes(`answer of /${many - 1}.`), 20_000);
    expect(begun.map(({ path }) => path)).toEqual(paths(many));
  });

  it('have their bodies when they begin after others', async () => {
    send(MOST_IN_WORK);
    const half = 'x'.repeat(100_000);
    client.write(`POST /last HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n${half}`);
    client.write(half);
    await haveBegun(MOST_IN_WORK);
    for (const { response } of begun) response.end();
    await haveBegun(MOST_IN_WORK + 1);
    const last = begun[MOST_IN_WORK];
    expect(last && (await text(last.request))).toHaveLength(200_000);
    last?.response.end();
    await eventually('the last answer is sent', () => closed.includes('/last'));
  });

  it('all close with their connection', async () => {
    send(MOST_IN_WORK);
    await haveBegun(MOST_IN_WORK);
    begun[3]?.response.end('an answer that waits behind others');
    client.destroy();
    await eventually('every answer is closed', () => closed.length >= MOST_IN_WORK);
    expect([...closed].sort()).toEqual(paths(MOST_IN_WORK));
    expect(begun.every(({ response }) => response.destroyed)).toBe(true);
  });

  it(`are at most ${MOST_WAITING} that wait on all connections: the one with most of them is closed`, async () => {
    const { port } = server.address() as AddressInfo;
    const request = 'GET /small HTTP/1.1\r\nHost: a\r\n\r\n';
    const others = Array.from({ length: 12 }, () => connect(port, '127.0.0.1'));
    let open = others.length;
    for (const other of others) {
      other.on('error', () => undefined);
      other.on('close', () => (open -= 1));
      other.write(request.repeat(1_000));
    }
    await eventually('a connection is dropped', () => open < others.length);
    send(20);
    await eventually('the others wait', () => open <= 10);
    await eventually('a small line', () => begun.some(({ path }) => path === '/7'));
    expect(open).toBeGreaterThanOrEqual(9);
    answerAll();
    await eventually('the last answer of the small line', () => received.includes('of /19.'));
    for (const other of others) other.destroy();
  });

  it('never begin after their connection has closed', async () => {
    send(20);
    await haveBegun(MOST_IN_WORK);
    client.destroy();
    // A connection that is not read is known to be closed when something is sent.
    begun[0]?.response.write('x'.repeat(10_000_000));
    await eventually('every answer is closed', () => closed.length >= MOST_IN_WORK);
    expect([...closed].sort()).toEqual(paths(MOST_IN_WORK));
    expect(begun).toHaveLength(MOST_IN_WORK);
  });
});
