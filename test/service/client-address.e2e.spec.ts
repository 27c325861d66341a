import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/harness/eventually.js';
import { runningApp } from '../support/harness/running-app.js';

describe('the client behind trusted proxies', () => {
  const service = runningApp({ TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' });
  let requests = 0;

  /** Sends a request with an X-Forwarded-For header, and gives its log line. */
  async function lineOf(forwarded: string | undefined, key?: string) {
    const id = `address-${++requests}`;
    await service.client.as(key).get('/v1/key', {
      headers: {
        'X-Request-Id': id,
        ...(forwarded !== undefined && { 'X-Forwarded-For': forwarded }),
      },
    });
    const find = (): string | undefined =>
      service.logLines.find((line) => line.includes(`"request_id":"${id}"`));
    return JSON.parse(await eventually('the line of a request', find)) as Record<string, unknown>;
  }

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['203.0.113.66, 192.0.2.1', '192.0.2.1'],
    ['203.0.113.66, 192.0.2.1, 10.1.2.3', '192.0.2.1'],
    ['10.9.9.9, 10.1.2.3', '10.9.9.9'],
    ['2001:db8::1', '2001:db8::1'],
    ['', '127.0.0.1'],
    [undefined, '127.0.0.1'],
  ])('of X-Forwarded-For: %s is %s', async (forwarded, address) => {
    expect(await lineOf(forwarded)).toMatchObject({ address });
  });

  it('is named in its log lines, with account, user and the first digits of the hash', async () => {
    const { accountId, managementKey, userId, client } = await service.openAccount();
    const line = await lineOf('192.0.2.1', managementKey);
    expect(line).toMatchObject({ account_id: accountId, user_id: userId, address: '192.0.2.1' });
    expect(line.key).toMatch(/^[0-9a-f]{8}$/);
    expect(await client.get('/v1/key')).toMatchObject({ status: 200 });
    expect(await lineOf('192.0.2.1')).toMatchObject({ account_id: null, user_id: null, key: null });
  });
});

describe('the client of a service that trusts no proxy', () => {
  const service = runningApp();

  it('gains nothing by what it says of itself', async () => {
    const headers = {
      'X-Request-Id': 'pretender',
      'X-Forwarded-For': '198.51.100.77',
      'X-Real-IP': '198.51.100.78',
      Forwarded: 'for=198.51.100.9',
    };
    await service.client.get('/v1/key', { headers });
    const line = await eventually('the line of a request', () =>
      service.logLines.find((text) => text.includes('"request_id":"pretender"')),
    );
    expect(JSON.parse(line)).toMatchObject({ address: '127.0.0.1' });
  });
});
