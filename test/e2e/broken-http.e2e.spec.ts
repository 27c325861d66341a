import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import type { Request } from 'express';
import { errorOf } from '../harness/error-of.js';
import { openRawConnection, type RawConnection } from '../harness/raw-connection.js';
import { sendRaw } from '../harness/raw-http.js';
import { runningApp } from '../harness/running-app.js';
import { stateOf } from '../harness/service-state.js';

const HOST = 'Host: a\r\n';
const BODY = '{"user":"a"}';

/** Each fault, the request (KEY stands for a management key), and the status of its answer. */
const BROKEN: readonly (readonly [string, string, number])[] = [
  ['no HTTP at all', 'HELLO?\r\n\r\n', 400],
  ['a method that is none', `BREW /v1/keys HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['a version that is none', `GET /v1/end-users HTTP/9.9\r\n${HOST}\r\n`, 400],
  ['a NUL in the path', `GET /v1/\0 HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['a header without a name', `GET /v1/end-users HTTP/1.1\r\n${HOST}: x\r\n\r\n`, 400],
  ['a NUL in a header', `GET /v1/end-users HTTP/1.1\r\n${HOST}X-A: a\0b\r\n\r\n`, 400],
  [
    'two lengths that differ',
    `POST /v1/end-users HTTP/1.1\r\n${HOST}KEYContent-Length: 12\r\nContent-Length: 13\r\n\r\n${BODY}`,
    400,
  ],
  [
    'a length beside a transfer encoding',
    `POST /v1/end-users HTTP/1.1\r\n${HOST}KEYContent-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  [
    'a length that is no number',
    `POST /v1/end-users HTTP/1.1\r\n${HOST}KEYContent-Length: 1x\r\n\r\n${BODY}`,
    400,
  ],
  [
    'headers of more than 16 KiB',
    `GET /v1/end-users HTTP/1.1\r\n${HOST}X-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
  ],
  ['a path of more than 16 KiB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`, 431],
  ['a wish for a proxy', `CONNECT example.com:443 HTTP/1.1\r\n${HOST}KEY\r\n`, 400],
  ['a path for a proxy', `CONNECT /v1/keys HTTP/1.1\r\n${HOST}KEY\r\n`, 400],
  [
    'a second Host behind 2,000 headers',
    `GET /v1/end-users HTTP/1.1\r\n${HOST}KEY${'a:\r\n'.repeat(2_000)}Host: b\r\n\r\n`,
    400,
  ],
  ['two Hosts', `GET /v1/end-users HTTP/1.1\r\n${HOST}Host: b\r\n\r\n`, 400],
  ['no Host', 'GET /v1/end-users HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  [
    'an expectation that nobody meets',
    `POST /v1/end-users HTTP/1.1\r\n${HOST}KEYConnection: close\r\nExpect: miracles\r\nContent-Length: 12\r\n\r\n${BODY}`,
    417,
  ],
];

describe('a request that is broken HTTP', () => {
  const service = runningApp();

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each(BROKEN)(
    'with %s gets an error body and a closed connection, and changes nothing',
    async (_, request, status) => {
      const before = await stateOf(service);
      const authorization = `Authorization: Bearer ${service.managementKey}\r\n`;
      const answer = await sendRaw(service.address, request.replace('KEY', authorization));
      expect(errorOf(answer, status).userId).toBeNull();
      expect(answer.headers.get('connection')).toBe('close');
      expect(Number(answer.headers.get('content-length'))).toBe(Buffer.byteLength(answer.text));
      expect(await stateOf(service)).toEqual(before);
    },
  );

  it.each(['http://', 'http://[::1/v1/keys', '*'])('for %s is one for no route', async (target) => {
    const request = `GET ${target} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
    const answer = await sendRaw(service.address, request);
    errorOf(answer, 404);
    expect(answer.headers.get('x-request-id')).toEqual(expect.any(String));
  });

  it.each([
    'CONNECT example.com:443 HTTP/1.1\r\n',
    'GET /v1/end-users HTTP/1.1\r\nExpect: miracles\r\nConnection: close\r\n',
  ])('keeps the request id of its caller where it can be read: %j', async (request) => {
    const answer = await sendRaw(
      service.address,
      `${request}${HOST}X-Request-Id: of the caller\r\n\r\n`,
    );
    expect(answer.headers.get('x-request-id')).toBe('of the caller');
    expect(JSON.parse(answer.text)).toMatchObject({
      service_metadata: { request_id: 'of the caller' },
    });
  });

  it('keeps the request id of its caller, or the one minted for it, when its body breaks off', async () => {
    const headers = `${HOST}Authorization: Bearer ${service.managementKey}\r\n`;
    for (const given of ['of the caller', '']) {
      const assigned = once(service.app.getHttpServer(), 'request');
      const sent = `POST /v1/end-users HTTP/1.1\r\n${headers}X-Request-Id: ${given}\r\n`;
      const answer = await sendRaw(
        service.address,
        `${sent}Transfer-Encoding: chunked\r\n\r\nno chunk\r\n`,
      );
      const [{ requestId }] = (await assigned) as [Request];
      errorOf(answer, 400);
      expect(answer.headers.get('x-request-id')).toBe(given || requestId);
    }
  });

  it('whose target is a whole address is taken by its path', async () => {
    const request = `GET ${service.address}/health/live HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
    expect(await sendRaw(service.address, request)).toMatchObject({ status: 200 });
  });

  it('that is a CONNECT, broken off, ends nothing but itself', async () => {
    for (let count = 0; count < 20; count++) {
      const socket = connect(Number(new URL(service.address).port), '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(`CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`);
      if (count % 2 === 0) await once(socket, 'data');
      socket.resetAndDestroy();
    }
    expect(await service.client.get('/v1/end-users')).toMatchObject({ status: 200 });
  });

  it('that is a CONNECT is closed by the service when its caller does not', async () => {
    const socket = connect({ port: Number(new URL(service.address).port), allowHalfOpen: true });
    await once(socket, 'connect');
    socket.write(`CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`);
    socket.resume();
    await once(socket, 'end');
    const held = setInterval(() => socket.write('x'), 100);
    try {
      const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
      expect(['ECONNRESET', 'EPIPE']).toContain(error.code);
    } finally {
      clearInterval(held);
      socket.destroy();
    }
  });

  describe('after a valid one on the same connection', () => {
    function registration(user: string): string {
      const body = JSON.stringify({ user });
      return (
        `POST /v1/end-users HTTP/1.1\r\n${HOST}Authorization: Bearer ${service.managementKey}\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`
      );
    }

    function statusLines(connection: RawConnection): readonly string[] | null {
      return connection.received().match(/HTTP\/1\.1 \d+/g);
    }

    it('leaves that one its answer, also when both come in one packet', async () => {
      const user = `pipelined-${randomUUID()}`;
      const connection = await openRawConnection(service.address);
      connection.send(`${registration(user)}HELLO?\r\n\r\n`);
      await connection.closed;
      expect(statusLines(connection)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 400']);
      expect(connection.received()).toContain(user);
    });

    it('is kept in mind once, however much follows before that answer', async () => {
      let fail: (error: Error) => void = () => undefined;
      const held = new Promise<never>((_, reject) => (fail = reject));
      const execute = jest.spyOn(service.app.get(CommandBus), 'execute').mockReturnValueOnce(held);
      const server: Server = service.app.getHttpServer();
      const answering = once(server, 'request') as Promise<[unknown, ServerResponse]>;
      const connection = await openRawConnection(service.address);
      connection.send(registration('held'));
      const [, response] = await answering;
      const listeners = [];
      for (let packet = 0; packet < 3; packet++) {
        const noticed = once(server, 'clientError');
        connection.send('HELLO?\r\n\r\n');
        await noticed;
        listeners.push(response.listenerCount('close'));
      }
      expect(new Set(listeners).size).toBe(1);
      expect(connection.received()).toBe('');
      expect(execute).toHaveBeenCalledTimes(1);
      fail(new Error('the tape is torn'));
      await connection.closed;
      expect(statusLines(connection)).toEqual(['HTTP/1.1 500', 'HTTP/1.1 400']);
    });
  });

  it('with a body that breaks off in chunks is answered 400 though it is in flight', async () => {
    const answer = await sendRaw(
      service.address,
      `POST /v1/end-users HTTP/1.1\r\n${HOST}Authorization: Bearer ${service.managementKey}\r\n` +
        'Transfer-Encoding: chunked\r\n\r\n5\r\n{"use\r\nno length\r\n',
    );
    errorOf(answer, 400);
  });

  it('leaves other connections alone', async () => {
    await sendRaw(service.address, 'HELLO?\r\n\r\n');
    expect(await service.client.get('/v1/end-users')).toMatchObject({ status: 200 });
  });
});
