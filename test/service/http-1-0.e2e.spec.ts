import { beforeAll, describe, expect, it } from '@jest/globals';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { runningApp } from '../support/harness/running-app.js';

/** nginx speaks HTTP/1.0 to its backend by default. */
describe('a client that speaks HTTP/1.0', () => {
  const service = runningApp();
  let hash: string;

  beforeAll(async () => {
    await service.client.post('/v1/end-users', { user: 'ada' });
    hash = (await createKey(service.client)).data.hash;
  });

  const ask = (method: string, path: string, headers = ''): Promise<Answer> =>
    sendRaw(
      service.address,
      `${method} ${path} HTTP/1.0\r\nHost: a\r\nAuthorization: Bearer ${service.managementKey}\r\n${headers}\r\n`,
    );

  it.each(['GET', 'HEAD'])('is refused a stream: %s', async (method) => {
    const refused = await ask(method, '/v1/audit-events', 'Accept: application/x-ndjson\r\n');
    expect(refused.status).toBe(505);
    if (method === 'HEAD') return;
    expect(refused.headers.get('content-length')).toBe(String(Buffer.byteLength(refused.text)));
    expect(errorOf(refused, 505)).toMatchObject({
      reason: 'http-version-unsupported',
      message: expect.stringContaining('proxy_http_version 1.1'),
    });
  });

  it('has a slot back after a refusal', async () => {
    for (let asked = 0; asked < 6; asked += 1) {
      await ask('GET', '/v1/audit-events', 'Accept: application/x-ndjson\r\n');
    }
    const headers = { Accept: 'application/x-ndjson' };
    expect(await service.client.get('/v1/audit-events', { headers })).toMatchObject({
      status: 200,
    });
  });

  it.each([
    '/v1/audit-events',
    '/v1/key',
    '/v1/keys',
    '/v1/end-users',
    '/v1/end-users/ada',
    '/v1/workspaces',
    '/v1/workspaces/default',
    '/v1/workspaces/default/members',
    '/v1/end-users?limit=0',
    '/v1/nothing',
    '/nothing',
    '/health/live',
    '/health/ready',
    '/metrics',
    '/openapi.json',
    '/openapi.yaml',
    '/docs',
    '/docs/swagger-ui-init.js',
    '/docs/swagger-ui.css',
  ])('gets an answer with its length: GET %s', async (path) => {
    const { headers, text } = await ask('GET', path);
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });

  it('gets such answers to changes', async () => {
    const patched = await ask('PATCH', `/v1/keys/${hash}`);
    expect(patched.headers.get('content-length')).toBe(String(Buffer.byteLength(patched.text)));
    const deleted = await ask('DELETE', `/v1/end-users/ada`);
    expect(deleted).toMatchObject({ status: 204, text: '' });
  });
});
