import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { closeIdleConnections } from './idle-connections.js';

const IDLE_MS = 100;
/** Node waits a second longer than its setting. */
const LONGER_THAN_IDLE_MS = 1_500;

describe('idle connections', () => {
  let server: Server;
  let client: Socket;
  let answers: string;

  beforeEach(async () => {
    server = createServer((_request, response) => response.end('answered'));
    closeIdleConnections(server, IDLE_MS);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    answers = '';
    client.setEncoding('utf8').on('data', (text: string) => (answers += text));
  });

  afterEach(() => {
    client.destroy();
    server.close();
  });

  const ask = (): unknown => client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');

  const answered = async (times: number): Promise<void> => {
    while (answers.split('answered').length <= times) await once(client, 'data');
  };

  it('are closed', async () => {
    ask();
    await answered(1);
    await once(client, 'close');
  });

  it('are not those on which a request came while the process stood still', async () => {
    ask();
    await answered(1);
    ask();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LONGER_THAN_IDLE_MS);
    await answered(2);
    expect(client.destroyed).toBe(false);
    await once(client, 'close');
  });
});
