import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/harness/eventually.js';
import { oneAtATime } from './one-at-a-time.js';

const LARGE = Buffer.alloc(16 * 1024 * 1024);

describe('the requests of a connection', () => {
  let server: Server;
  let socket: Socket;
  let handed: { readonly url: string | undefined; readonly response: ServerResponse }[];

  beforeEach(async () => {
    handed = [];
    server = createServer(
      oneAtATime(({ url }, response) => {
        handed.push({ url, response });
      }),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
  });

  afterEach(async () => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const send = (...paths: string[]) =>
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`).join(''));
  const urls = () => handed.map(({ url }) => url);

  it('are handled one after another, in their order, and all are answered', async () => {
    let text = '';
    socket.on('data', (data) => (text += data.toString()));
    send('/1', '/2', '/3');
    for (const so of [1, 2, 3]) {
      await eventually('the next is handed on', () => handed.length === so);
      handed.at(-1)?.response.end(`answer ${so}.`);
    }
    await eventually('all are answered', () => text.includes('answer 3.'));
    expect(urls()).toEqual(['/1', '/2', '/3']);
    expect(text.match(/answer \d/g)).toEqual(['answer 1', 'answer 2', 'answer 3']);
    send('/4');
    await eventually('one more is handed on', () => handed.length === 4);
  });

  it('wait while the client does not read the answer before; requests of other connections do not', async () => {
    send('/large', '/next');
    await eventually('the first is handed on', () => handed.length === 1);
    socket.pause();
    handed[0]?.response.end(LARGE);
    const other = connect((server.address() as AddressInfo).port, '127.0.0.1');
    other.write('GET /other HTTP/1.1\r\nHost: here\r\n\r\n');
    await eventually('the other is handed on', () => handed.length === 2);
    expect(urls()).toEqual(['/large', '/other']);
    other.destroy();
    socket.resume();
    await eventually('the next is handed on', () => urls().includes('/next'));
  });

  it('end with the connection when too many wait, and none of them is handled', async () => {
    send(...Array.from({ length: 102 }, (_, index) => `/${index}`));
    await once(socket.resume(), 'close');
    expect(urls()).toEqual(['/0']);
  });
});
