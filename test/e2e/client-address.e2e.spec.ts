import { describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/key-strings/key-string.js';
import { errorOf } from '../harness/error-of.js';
import { eventually } from '../harness/eventually.js';
import { runningApp } from '../harness/running-app.js';

const LIMIT = 3;
const UNKNOWN = mintKeyString('mk-v1-');

describe('the client behind trusted proxies', () => {
  const service = runningApp({
    TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
    AUTH_FAILURE_LIMIT: `${LIMIT}/3600s`,
  });
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
    ['not an address', '127.0.0.1'],
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

  it('is refused as too many failures beyond the limit, while right keys pass', async () => {
    const headers = { 'X-Forwarded-For': '198.51.100.1' };
    const ask = (key: string | undefined) =>
      service.client.as(key).get('/v1/end-users', { headers });
    for (let failed = 0; failed < LIMIT; failed++) errorOf(await ask(UNKNOWN), 401);
    const answer = await ask(UNKNOWN);
    expect(errorOf(answer, 429)).toMatchObject({ reason: 'too-many-authentication-failures' });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3_000);
    errorOf(await ask('no key of ours at all'), 429);
    errorOf(await ask(undefined), 401);
    expect(await ask(service.managementKey)).toMatchObject({ status: 200 });
    const elsewhere = { 'X-Forwarded-For': '198.51.100.2' };
    errorOf(await service.client.as(UNKNOWN).get('/v1/end-users', { headers: elsewhere }), 401);
  });

  it('leaves one log line of what is refused beyond the limit', async () => {
    const headers = { 'X-Forwarded-For': '198.51.100.3' };
    for (let failed = 0; failed < LIMIT + 20; failed++)
      await service.client.as(UNKNOWN).get('/v1/key', { headers });
    await lineOf('198.51.100.4');
    const lines = service.logLines.filter((line) => line.includes('"address":"198.51.100.3"'));
    expect(lines).toHaveLength(LIMIT + 1);
  });
});

describe('the client of a service that trusts no proxy', () => {
  const service = runningApp({ AUTH_FAILURE_LIMIT: `${LIMIT}/3600s` });

  it('gains nothing by what it says of itself', async () => {
    for (let failed = 0; failed < LIMIT; failed++) {
      const headers = { 'X-Forwarded-For': `198.51.100.${failed}`, Forwarded: 'for=198.51.100.9' };
      errorOf(await service.client.as(UNKNOWN).get('/v1/key', { headers }), 401);
    }
    const headers = { 'X-Forwarded-For': '198.51.100.77', 'X-Real-IP': '198.51.100.78' };
    errorOf(await service.client.as(UNKNOWN).get('/v1/key', { headers }), 429);
  });
});
