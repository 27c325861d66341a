import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { errorOf } from '../../test/harness/error-of.js';
import { openRawConnection } from '../../test/harness/raw-connection.js';
import { sendRaw } from '../../test/harness/raw-http.js';
import { answerSocketErrors } from './socket-errors.js';

/** The time-outs of Node, but shorter: Node gives headers a minute and a whole request five. */
const TIMES = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 };

describe('a request that does not arrive in time', () => {
  let server: Server;
  let address: string;

  beforeEach(async () => {
    server = createServer(TIMES, (request, response) => {
      request.resume().once('end', () => response.end('in time'));
    });
    answerSocketErrors(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it.each([
    ['headers', 'GET /v1/keys HTTP/1.1\r\nHost: a\r\n'],
    ['body', 'POST /v1/keys HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"nam'],
  ])(
    'with its %s is answered 408, with the error body and a closed connection',
    async (_, sent) => {
      const answer = await sendRaw(address, sent);
      const { message, userId } = errorOf(answer, 408);
      expect({ message, userId }).toEqual({
        message: 'The request took too long to arrive',
        userId: null,
      });
      expect(answer.headers.get('connection')).toBe('close');
      expect(Number(answer.headers.get('content-length'))).toBe(Buffer.byteLength(answer.text));
    },
  );

  it('leaves the one before it its answer', async () => {
    const connection = await openRawConnection(address);
    connection.send('GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n');
    await connection.closed;
    expect(connection.received().match(/HTTP\/1\.1 \d+|in time/g)).toEqual([
      ...['HTTP/1.1 200', 'in time'],
      'HTTP/1.1 408',
    ]);
  });
});
