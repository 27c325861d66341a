import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { errorOf } from '../harness/error-of.js';
import { eventually } from '../harness/eventually.js';
import { openRawConnection, type RawConnection } from '../harness/raw-connection.js';
import { sendRaw } from '../harness/raw-http.js';
import { runningApp } from '../harness/running-app.js';

const MIB = 1024 * 1024;
const CHUNK = `${(64 * 1024).toString(16)}\r\n${'x'.repeat(64 * 1024)}\r\n`;

describe('a body that is not read', () => {
  const service = runningApp();
  let authorization: string;

  beforeAll(() => {
    authorization = `Authorization: Bearer ${service.managementKey}\r\n`;
  });

  /** Makes the head of a registration with these lines, without `Connection: close`. */
  function head(...lines: readonly string[]): string {
    return `POST /v1/end-users HTTP/1.1\r\nHost: a\r\n${lines.join('')}\r\n`;
  }

  it.each([
    ['', ''],
    [' and waits for 100 Continue', 'Expect: 100-continue\r\n'],
  ])('is refused with 413 at once when it says it has 1 GB%s', async (_, expectation) => {
    const answer = await sendRaw(
      service.address,
      head(authorization, expectation, 'Content-Length: 1000000000\r\n'),
    );
    errorOf(answer, 413);
    expect(answer.headers.get('connection')).toBe('close');
  });

  it('is refused with 413 and a closed connection when it comes in chunks and does not end', async () => {
    const chunks = CHUNK.repeat(MIB / CHUNK.length + 2);
    const answer = await sendRaw(
      service.address,
      head(authorization, 'Transfer-Encoding: chunked\r\n') + chunks,
    );
    errorOf(answer, 413);
    expect(answer.headers.get('connection')).toBe('close');
  });

  it('is drained up to 1 MiB, so that its sender reads the 413 and goes on', async () => {
    for (const bytes of [150_000, MIB]) {
      const answer = await service.client.post('/v1/end-users', 'x'.repeat(bytes));
      errorOf(answer, 413);
      expect(answer.headers.get('connection')).not.toBe('close');
    }
  });

  it('is 415 before it is 413', async () => {
    const answer = await sendRaw(
      service.address,
      head(
        authorization,
        'Connection: close\r\nContent-Encoding: compact\r\nContent-Length: 1000000000\r\n',
      ),
    );
    errorOf(answer, 415);
  });

  it('does no harm when it follows a compressed body that is complete', async () => {
    const request = openRequest(`${service.address}/v1/end-users`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${service.managementKey}`,
        'Content-Encoding': 'gzip',
        'Transfer-Encoding': 'chunked',
      },
    });
    request.write(Buffer.concat([gzipSync('{"user":"padded"}'), Buffer.alloc(64)]));
    const answer = await answerOf(request);
    expect(answer.statusCode).toBe(201);
    request.end(Buffer.alloc(2 * MIB));
    await once(request, 'close');
    expect(await service.client.get('/v1/end-users')).toMatchObject({ status: 200 });
  });

  describe('of a caller that expects 100 Continue', () => {
    const expectation = 'Expect: 100-continue\r\n';

    it('is not asked for when the key is refused', async () => {
      const answer = await sendRaw(service.address, head(expectation, 'Content-Length: 12\r\n'));
      errorOf(answer, 401);
    });

    it('is asked for once the key is known', async () => {
      const body = '{"user":"a"}';
      const connection: RawConnection = await openRawConnection(service.address);
      connection.send(
        head(authorization, expectation, 'Connection: close\r\nContent-Length: 12\r\n'),
      );
      await eventually('100 Continue', () => connection.received() !== '');
      expect(connection.received()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      connection.send(body);
      await connection.closed;
      expect(connection.received().match(/HTTP\/1\.1 \d+/g)).toEqual([
        'HTTP/1.1 100',
        'HTTP/1.1 201',
      ]);
    });

    it('is taken without being asked for in HTTP/1.0, which has no 100 Continue', async () => {
      const answer = await sendRaw(
        service.address,
        head(authorization, expectation, 'Content-Length: 12\r\n').replace('1.1', '1.0') +
          '{"user":"b"}',
      );
      expect(answer).toMatchObject({ status: 201 });
    });
  });
});

async function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer.resume();
}
