import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/harness/eventually.js';
import { boundConnections, type ConnectionBounds } from './bounded-connections.js';
import { membership } from './networks.js';

const NOBODY = membership([]);

describe('the connections of a server', () => {
  let server: Server;
  let refused: string[];
  const clients: Socket[] = [];

  async function listen(bounds: ConnectionBounds, host = '127.0.0.1'): Promise<void> {
    refused = [];
    server = createServer((_request, response) => response.end('served'));
    boundConnections(server, bounds, (bound) => refused.push(bound));
    await once(server.listen(0, host), 'listening');
  }

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  /** Connects and sends a request. @returns the first bytes that arrive, or nothing when the connection closes. */
  async function ask(localAddress = '127.0.0.1'): Promise<string> {
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, host: '127.0.0.1', localAddress });
    clients.push(client);
    client.on('error', () => undefined);
    let text = '';
    client.setEncoding('utf8').on('data', (data: string) => (text += data));
    await once(client, 'connect');
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually('an answer or the end', () => text !== '' || client.destroyed);
    return text.slice(0, 12);
  }

  it('are so many of one address, and those beyond are closed with 503', async () => {
    await listen({ inAll: 10, ofAddress: 2, isTrusted: NOBODY });
    expect([await ask(), await ask()]).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    // The answer may be lost with the connection.
    expect(['HTTP/1.1 503', '']).toContain(await ask());
    await eventually('it is closed', () => clients.at(-1)?.destroyed === true);
    expect(refused).toEqual(['address']);
    expect(await ask('127.0.0.2')).toBe('HTTP/1.1 200');
  });

  it('beyond those of one address get the headers and the body of every error', async () => {
    await listen({ inAll: 10, ofAddress: 1, isTrusted: NOBODY });
    expect(await ask()).toBe('HTTP/1.1 200');
    const { port } = server.address() as AddressInfo;
    // A client that has sent nothing loses nothing.
    const client = connect({ port, host: '127.0.0.1' });
    clients.push(client);
    let text = '';
    client.setEncoding('utf8').on('data', (data: string) => (text += data));
    await once(client, 'end');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const id = /^X-Request-Id: (.+)$/m.exec(head)?.[1];
    expect(head).toContain('Cache-Control: no-store');
    expect(head).toContain('X-Content-Type-Options: nosniff');
    expect(JSON.parse(body)).toMatchObject({
      error: { code: 503, metadata: { reason: 'too-many-connections' } },
      service_metadata: { request_id: id },
    });
  });

  it('make room when one ends, in any state', async () => {
    await listen({ inAll: 10, ofAddress: 1, isTrusted: NOBODY });
    for (const end of [
      (client?: Socket) => client?.end(),
      (client?: Socket) => client?.destroy(),
      (client?: Socket) => client?.resetAndDestroy(),
      (client?: Socket) => client?.write('no HTTP at all\r\n\r\n'),
      (client?: Socket) => client?.write('GET / HTTP/1.1\r\nHo') && client.destroy(),
    ]) {
      await eventually('there is room', async () => (await ask()) === 'HTTP/1.1 200');
      end(clients.at(-1));
    }
    await eventually('there is room', async () => (await ask()) === 'HTTP/1.1 200');
  });

  it('may be any number of a trusted proxy, but not more than in all', async () => {
    await listen({ inAll: 3, ofAddress: 1, isTrusted: membership(['127.0.0.0/30']) });
    for (const _ of [1, 2, 3]) expect(await ask()).toBe('HTTP/1.1 200');
    expect(await ask()).toBe('');
    expect(refused).toEqual(['all']);
  });

  it('count as those of one address however it is written', async () => {
    await listen({ inAll: 10, ofAddress: 1, isTrusted: membership(['127.0.0.3']) }, '::');
    expect(await ask('127.0.0.2')).toBe('HTTP/1.1 200');
    await ask('127.0.0.2');
    expect(refused).toEqual(['address']);
    expect(await ask('127.0.0.3')).toBe('HTTP/1.1 200');
    expect(await ask('127.0.0.3')).toBe('HTTP/1.1 200');
  });
});
