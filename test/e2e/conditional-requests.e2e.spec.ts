import { describe, expect, it } from '@jest/globals';
import type { Answer } from '../harness/http-client.js';
import { sendRaw } from '../harness/raw-http.js';
import { runningApp } from '../harness/running-app.js';

describe('a request for what its caller may have already', () => {
  const service = runningApp();

  /** Sends a request unchanged. The client of other suites forbids caches, which makes a condition void. */
  function get(path: string, condition: string): Promise<Answer> {
    const headers = [
      'Host: a',
      'Connection: close',
      `Authorization: Bearer ${service.managementKey}`,
      condition,
    ];
    return sendRaw(service.address, `GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  }

  it.each([
    ...['/v1/keys', '/v1/end-users', '/v1/workspaces', '/v1/audit-events'],
    ...['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json', '/openapi.yaml'],
  ])('%s is answered in full', async (path) => {
    const { status, text } = await get(path, 'If-None-Match: *');
    expect(status).toBe(200);
    expect(text).not.toBe('');
  });

  it('gets 304 for a file of the page that has not changed', async () => {
    const path = '/docs/swagger-ui.css';
    const etag = (await service.client.get(path)).headers.get('etag') ?? '';
    const answer = await get(path, `If-None-Match: ${etag}`);
    expect(answer).toMatchObject({ status: 304, text: '' });
  });
});
