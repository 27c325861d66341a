import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { KeyMemory } from '../../src/features/verification/known-keys/key-memory.js';
import type { VerificationRecord } from '../../src/features/verification/verification.fields.js';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { type CreatedKey, createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { accountOf, runningApp, type TestAccount } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

const NO_KEY = { valid: false, key: null, limit_remaining: null, exceeded: null };

interface Verified {
  readonly data: VerificationRecord;
}

describe('POST /v1/keys/verify', () => {
  const service = runningApp({ RATE_LIMIT_WRITES: '1000/600s' });
  const account = accountOf(service);
  let other: TestAccount;

  beforeAll(async () => {
    other = await service.openAccount();
  });

  function ask(question: object, headers: Record<string, string> = {}): Promise<Answer<Verified>> {
    return account.client.post<Verified>('/v1/keys/verify', question, { headers });
  }

  /** Verifies a key by its string and by its hash, and expects the same answer. */
  async function verified({ key, data }: CreatedKey, more = {}): Promise<VerificationRecord> {
    const byKey = await ask({ key, ...more });
    const byHash = await ask({ hash: data.hash.toUpperCase(), ...more });
    expect(byKey).toMatchObject({ status: 200 });
    expect(byHash.body).toEqual(byKey.body);
    expect(byKey.headers.get('cache-control')).toBe('no-store');
    return byKey.body.data;
  }

  const changed = (hash: string, changes: object): Promise<Answer> =>
    account.client.patch(`/v1/keys/${hash}`, changes);

  it('describes a key that may be used', async () => {
    const expires_at = '2100-01-01T00:00:00.000Z';
    const external = { user: 'customer-42' };
    const created = await createKey(account.client, {
      name: 'in use',
      limit: 5,
      limit_reset: 'weekly',
      expires_at,
      external,
    });
    expect(await verified(created)).toEqual({
      valid: true,
      code: 'VALID',
      key: {
        hash: created.data.hash,
        name: 'in use',
        label: 'in use',
        workspace_id: account.defaultWorkspaceId,
        creator_user_id: account.userId,
        external_user: external,
        expires_at,
        limit: 5,
        limit_remaining: 5,
        limit_reset: 'weekly',
      },
      limit_remaining: 5,
      exceeded: null,
    });
  });

  it('says at once what has changed', async () => {
    const created = await createKey(account.client);
    const { hash } = created.data;
    const codeAfter = async (changes: object): Promise<string> => {
      expect(await changed(hash, changes)).toMatchObject({ status: 200 });
      return (await verified(created)).code;
    };
    for (let round = 0; round < 20; round += 1) {
      expect(await codeAfter({ disabled: true })).toBe('DISABLED');
      expect(await codeAfter({ disabled: false })).toBe('VALID');
      expect(await codeAfter({ limit: 0 })).toBe('LIMIT_EXCEEDED');
      expect(await codeAfter({ limit: 1 })).toBe('VALID');
    }
    await account.client.delete(`/v1/keys/${hash}`);
    expect(await verified(created)).toEqual({ code: 'NOT_FOUND', ...NO_KEY });
  });

  it('demands a workspace, whether or not there is such a one', async () => {
    const created = await createKey(account.client);
    const workspace_id = await makeWorkspace(service, account, { restrictions: [] });
    const codeIn = async (id: string) => (await verified(created, { workspace_id: id })).code;
    expect(await codeIn(account.defaultWorkspaceId)).toBe('VALID');
    for (const elsewhere of [workspace_id, other.defaultWorkspaceId, 'nowhere'])
      expect(await codeIn(elsewhere)).toBe('WRONG_WORKSPACE');
  });

  it.each(['x', 'sk-v1-', 'sk-v1-x', `sk-v1-${'0'.repeat(64)}`, ' ', 'a'.repeat(512)])(
    'looks nothing up for %j, which is no key string',
    async (key) => {
      const look = jest.spyOn(service.app.get(KeyMemory), 'findApiKey');
      expect((await ask({ key })).body.data).toEqual({ code: 'MALFORMED', ...NO_KEY });
      expect(look).not.toHaveBeenCalled();
      look.mockRestore();
    },
  );

  it.each([
    [{}, 'key'],
    [{ key: 'x', hash: 'a'.repeat(64) }, 'key'],
    [{ key: '' }, 'key'],
    [{ key: 'a'.repeat(513) }, 'key'],
    [{ key: 5 }, 'key'],
    [{ hash: 'a'.repeat(63) }, 'hash'],
    [{ hash: 'g'.repeat(64) }, 'hash'],
    [{ key: 'x', workspace_id: '' }, 'workspace_id'],
    [{ key: 'x', workspace_id: mintKeyString('sk-v1-') }, 'workspace_id'],
    [{ key: 'x', user: '' }, 'user'],
    [{ key: 'x', user: ' a' }, 'user'],
    [{ key: 'x', user: 'a'.repeat(513) }, 'user'],
    [{ key: 'x', user: 5 }, 'user'],
    [{ key: 'x', more: true }, 'more'],
  ])('refuses %j for its %s', async (question, path) => {
    expect(errorOf(await ask(question), 400).paths).toEqual([path]);
  });

  it('changes nothing, and no limit of writes counts it', async () => {
    const created = await createKey(account.client);
    const before = await stateOf(service);
    const headers = { 'Idempotency-Key': randomUUID() };
    for (let count = 0; count < 1_100; count += 100) {
      const asked = Array.from({ length: 100 }, () => ask({ key: created.key }, headers));
      for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
    }
    expect(await stateOf(service)).toEqual(before);
  });
});

const ISSUER = 'https://keys.example.com/ledger';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('POST /v1/oauth/introspect', () => {
  const service = runningApp({ PUBLIC_URL: `${ISSUER}/` });
  const account = accountOf(service);
  let created: CreatedKey;

  beforeAll(async () => {
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
