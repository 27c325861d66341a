import { beforeAll, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { createKey, type CreatedKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';

const ISSUER = 'https://keys.example.com/ledger';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('POST /v1/oauth/introspect', () => {
  const service = runningApp({ PUBLIC_URL: `${ISSUER}/` });
  let account: TestAccount;
  let created: CreatedKey;

  beforeAll(async () => {
    account = await service.openAccount();
    created = await createKey(account.client, {
      external: { user: 'ada' },
      expires_at: '2999-01-01T00:00:00.999Z',
    });
  });

  function introspect(body: string): Promise<Answer> {
    return account.client.post('/v1/oauth/introspect', body, { headers: FORM });
  }

  it('describes a key that may be used', async () => {
    const { status, headers, body } = await introspect(`token=${created.key}&token_type_hint=a`);
    const { hash, created_at } = created.data;
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        active: true,
        client_id: hash,
        sub: hash,
        username: 'ada',
        iat: Math.floor(Date.parse(created_at) / 1_000),
        exp: Date.parse('2999-01-01T00:00:00Z') / 1_000,
        iss: ISSUER,
        token_type: 'api_key',
      },
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each(['utf-16', 'utf-16le', 'utf-7', 'iso-8859-1'])(
    'refuses the charset %s',
    async (charset) => {
      const headers = { 'Content-Type': `${FORM['Content-Type']}; charset=${charset}` };
      const token = Buffer.from(
        `token=${created.key}`,
        charset === 'utf-16le' ? 'utf16le' : 'latin1',
      );
      const answer = await account.client.post('/v1/oauth/introspect', token, { headers });
      expect(errorOf(answer, 415)).toMatchObject({ reason: 'charset-unsupported' });
    },
  );

  it('leaves out what a key does not have', async () => {
    const { key } = await createKey(account.client);
    const { body } = await introspect(`token=${key}`);
    expect(Object.keys(body as object).sort()).toEqual(
      ['active', 'client_id', 'iat', 'iss', 'sub', 'token_type'].sort(),
    );
  });

  it('says of every other key that it is not active, and nothing else', async () => {
    const foreign = await createKey((await service.openAccount()).client);
    const disabled = await createKey(account.client);
    await account.client.patch(`/v1/keys/${disabled.data.hash}`, { disabled: true });
    const deleted = await createKey(account.client);
    await account.client.delete(`/v1/keys/${deleted.data.hash}`);
    const expired = await createKey(account.client, { expires_at: '2001-01-01T00:00:00Z' });
    const spent = await createKey(account.client, { limit: 0 });
    const invented = ['x', ' ', mintKeyString('sk-v1-'), account.managementKey];
    const known = [foreign, disabled, deleted, expired, spent].map(({ key }) => key);
    for (const token of [...invented, ...known]) {
      const answer = await introspect(new URLSearchParams({ token }).toString());
      expect(answer).toMatchObject({ status: 200, text: '{"active":false}' });
    }
  });

  it.each(['', 'token', 'token=', 'tokens=a', 'token=a&token=a', '{"token":"a"}'])(
    'refuses the form %j',
    async (body) => {
      expect(errorOf(await introspect(body), 400).paths).toEqual(['token']);
    },
  );

  describe('takes the management key', () => {
    const asked = (headers: Record<string, string>, more = ''): Promise<Answer> =>
      service.client.as(undefined).post('/v1/oauth/introspect', `token=${created.key}${more}`, {
        headers: { ...FORM, ...headers },
      });
    const basic = (pair: string): Record<string, string> => ({
      Authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
    });

    it('as the password of Basic with any user name, percent-encoded or not', async () => {
      const key = account.managementKey;
      for (const pair of [`gw:${key}`, `:${key}`, `a%3Ab:${key.replaceAll('-', '%2D')}`])
        expect(await asked(basic(pair))).toMatchObject({ status: 200, body: { active: true } });
    });

    it('as client_secret in the form', async () => {
      const more = `&client_id=gw&client_secret=${account.managementKey}`;
      expect(await asked({}, more)).toMatchObject({ status: 200, body: { active: true } });
    });

    it('in one place alone', async () => {
      const more = `&client_secret=${account.managementKey}`;
      const bearer = { Authorization: `Bearer ${account.managementKey}` };
      for (const answer of [
        await asked(bearer, more),
        await asked(basic(`gw:${account.managementKey}`), more),
        await asked({}, more + more),
      ])
        expect(errorOf(answer, 400).paths).toEqual(['client_secret']);
    });

    it('only if it is one, wherever it is', async () => {
      for (const [wrong, status] of [
        ['x', 401],
        [mintKeyString('mk-v1-'), 401],
        [created.key, 403],
      ] as const) {
        errorOf(await asked(basic(`gw:${wrong}`)), status);
        errorOf(await asked({}, `&client_secret=${wrong}`), status);
      }
      for (const pair of ['gw', 'gw:', '', 'gw:%']) errorOf(await asked(basic(pair)), 401);
      errorOf(await asked({ Authorization: 'Basic ???' }), 401);
      errorOf(await asked({}, '&client_secret='), 401);
    });
  });

  it('refuses a form that is too large, and a caller without a management key', async () => {
    errorOf(await introspect(`token=${'x'.repeat(102_400)}`), 413);
    for (const key of [undefined, created.key]) {
      const answer = await service.client
        .as(key)
        .post('/v1/oauth/introspect', `token=${created.key}`, { headers: FORM });
      errorOf(answer, key === undefined ? 401 : 403);
    }
  });
});
