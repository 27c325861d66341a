import { describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { eventually } from '../support/harness/eventually.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { runningApp } from '../support/harness/running-app.js';

const INFO = 30;
const PATHS = [
  '/',
  '/%',
  '/%00',
  '/docs',
  '/docs/%00',
  '/docs/..%2f..%2fpackage.json',
  '/docs/swagger-ui.css',
  '/openapi.json',
  '/openapi.json/%ff',
  '/metrics',
  '/health/ready',
  '/v1',
  '/v1/keys?limit=%ff',
  '/v1/keys/%ff',
  '/v1/end-users/%00',
  '/v1/oauth/introspect',
  '/v1/authorize',
  '/v1/authorize?limit_status=500',
  '/v1/authorize/%ff?%ff',
];
const HEADERS: readonly (readonly string[])[] = [
  [],
  ['Range: bytes=99999999-'],
  ['If-Match: "x"', 'If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT'],
  ['Authorization: Bearer x'],
  [`Authorization: Bearer ${mintKeyString('mk-v1-')}`],
  [`Authorization: Bearer ${mintKeyString('sk-v1-')}`, 'Keyledger-Authorization: Bearer x'],
  [`Keyledger-Authorization: Bearer ${mintKeyString('mk-v1-')}`],
  ['Authorization: Basic eDp5', 'Content-Type: application/json; charset=utf-16'],
  ['Content-Encoding: compact', 'Transfer-Encoding: chunked'],
  ['Accept: application/x-ndjson', 'Traceparent: x', 'X-Forwarded-For: x'],
];

describe('a stranger', () => {
  const service = runningApp();

  it('makes no fault and no line above INFO, whatever one asks', async () => {
    const statuses = new Set<number>();
    for (const method of ['GET', 'POST', 'PATCH', 'OPTIONS']) {
      for (const path of PATHS) {
        for (const headers of HEADERS) {
          const body = headers.some((header) => header.startsWith('Transfer-')) ? '0\r\n\r\n' : '';
          const lines = [`${method} ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers];
          const answer = await sendRaw(service.address, `${lines.join('\r\n')}\r\n\r\n${body}`);
          if (answer.status >= 500)
            throw new Error(`${method} ${path} ${headers.join()}: ${answer.text}`);
          statuses.add(answer.status);
        }
      }
    }
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 405]));
    const last = 'the-last-request-of-a-stranger';
    await service.client.as(undefined).get('/v1/keys', { headers: { 'X-Request-Id': last } });
    await eventually('all are logged', () => service.logLines.some((one) => one.includes(last)));
    const levels = service.logLines.map((line) => (JSON.parse(line) as { level: number }).level);
    expect(Math.max(...levels)).toBe(INFO);
  }, 60_000);
});
