import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/harness/error-of.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { runningApp } from '../support/harness/running-app.js';

const MIB = 1024 * 1024;

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

  it('is drained when it is too large, so that its sender reads the 413 and goes on', async () => {
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
        'Connection: close\r\nContent-Encoding: compact\r\nContent-Length: 102401\r\n',
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
});

async function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer.resume();
}
