import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/harness/eventually.js';
import { cutOffUnreadAnswers, queuedBytes } from './unread-answers.js';

/** Long enough for a busy machine, which pauses this process from time to time. */
const UNREAD_MS = 800;
/** Much larger than the buffers of a connection. */
const LARGE = Buffer.alloc(256 * 1024 * 1024);

describe('an answer', () => {
  let server: Server;
  let client: Socket;
  let responses: ServerResponse[];
  let cutOff: number;

  beforeEach(async () => {
    cutOff = 0;
    responses = [];
    server = createServer((_request, response) => void responses.push(response));
    cutOffUnreadAnswers(server, UNREAD_MS, () => (cutOff += 1));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually('the request is there', () => responses.length === 1);
  });

  afterEach(async () => {
    client.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  function socketOf(response: ServerResponse | undefined): Socket {
    if (!response?.socket) throw new Error('the answer has no connection');
    return response.socket;
  }

  const closed = (): boolean => responses[0]?.destroyed === true;

  it('of which nothing is taken is cut off', async () => {
    responses[0]?.end(LARGE);
    await eventually('it is cut off', closed);
    expect(cutOff).toBe(1);
  });

  it('of which nothing is taken is cut off also while its reader sends', async () => {
    responses[0]?.end(LARGE);
    client.write('GET /next HTTP/1.1\r\nX-Long: ');
    const sending = setInterval(() => client.write('x'), UNREAD_MS / 10);
    await eventually('it is cut off', closed).finally(() => clearInterval(sending));
    expect(cutOff).toBe(1);
  });

  it('of which some is taken now and then is not', async () => {
    responses[0]?.end(LARGE);
    const began = performance.now();
    const left = (): number => queuedBytes(socketOf(responses[0]));
    let taken = 0;
    let wanted = LARGE.length;
    // The system accepts an answer in steps. The test reads one step at a time.
    client.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      if (left() < wanted) client.pause();
    });
    client.pause();
    const taking = setInterval(() => {
      wanted = left();
      client.resume();
    }, UNREAD_MS / 4);
    const wentOn = (): boolean => performance.now() - began > 6 * UNREAD_MS;
    await eventually('it went on for long', wentOn, 12 * UNREAD_MS).finally(() =>
      clearInterval(taking),
    );
    expect({ isClosed: closed(), cutOff }).toEqual({ isClosed: false, cutOff: 0 });
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(LARGE.length);
  });

  it('that is long in the making is not', async () => {
    const began = performance.now();
    await eventually('it took long', () => performance.now() - began > 4 * UNREAD_MS);
    client.resume();
    responses[0]?.end('made');
    await eventually('it is taken', closed);
    expect(cutOff).toBe(0);
  });
});
