import { randomBytes } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { describe, expect, it } from '@jest/globals';
import { CreateManagementKey } from '../../src/features/accounts/management-keys.commands.js';
import { hashKeyString } from '../../src/kernel/key-string.js';
import { errorOf } from '../support/harness/error-of.js';
import { madeString } from '../support/harness/made-strings.js';
import {
  accountOf,
  OPERATOR,
  type RunningApp,
  runningApp,
  type TestAccount,
} from '../support/harness/running-app.js';

/** A string of another service, with its hash. */
function foreignString(): { readonly key: string; readonly hash: string } {
  const key = `tok_${randomBytes(16).toString('base64url')}`;
  return { key, hash: hashKeyString(key) };
}

async function makeManagementKey(
  { app }: RunningApp,
  { accountId, userId }: TestAccount,
  hash: string,
): Promise<void> {
  const wanted = { hash, user_id: userId, name: null, role: 'admin', expires_at: null } as const;
  await app.get(CommandBus).execute(new CreateManagementKey(accountId, wanted, OPERATOR));
}

async function putKey({ client }: TestAccount, hash: string): Promise<void> {
  expect(await client.put(`/v1/keys/${hash}`, { name: 'a key' })).toMatchObject({ status: 201 });
}

/** Gives what each route says that takes the string of an API key. */
async function saidOf({ client, managementKey }: TestAccount, key: string): Promise<unknown> {
  const verified = await client.post<{ data: { code: string } }>('/v1/keys/verify', { key });
  const headers = { 'Keyledger-Authorization': `Bearer ${managementKey}` };
  const authorized = await client.as(key).get('/v1/authorize', { headers });
  const form = Buffer.from(new URLSearchParams({ token: key }).toString());
  const introspected = await client.post<{ active: boolean }>('/v1/oauth/introspect', form);
  return {
    verify: verified.body.data.code,
    authorize: [authorized.status, authorized.headers.get('keyledger-code')],
    introspect: introspected.body.active,
    current: (await client.as(key).get('/v1/key')).status,
    management: (await client.as(key).get('/v1/keys')).status,
  };
}

const OPENS = {
  verify: 'VALID',
  authorize: [200, null],
  introspect: true,
  current: 200,
  management: 403,
};

function opensNothing(code: string): unknown {
  return { verify: code, authorize: [401, code], introspect: false, current: 401, management: 401 };
}

describe('a string opens what its form says', () => {
  const service = runningApp();
  const account = accountOf(service);

  it('as long as it is that of the key: an API key string opens the API key of its hash', async () => {
    const { key, hash } = madeString();
    await putKey(account, hash);
    expect(await saidOf(account, key)).toEqual(OPENS);
  });

  it('so one of a management key opens no API key that has its hash', async () => {
    const { key, hash } = madeString('mk-v1-');
    await putKey(account, hash);
    expect(await saidOf(account, key)).toEqual(opensNothing('NOT_FOUND'));
  });

  it('so one of an API key opens no management key that has its hash', async () => {
    const { key, hash } = madeString();
    await makeManagementKey(service, account, hash);
    expect(await saidOf(account, key)).toEqual(opensNothing('NOT_FOUND'));
    const gateway = { 'Keyledger-Authorization': `Bearer ${key}` };
    const asked = await account.client.as('x').get('/v1/authorize', { headers: gateway });
    expect(errorOf(asked, 403).reason).toBe('gateway-unauthorized');
  });

  it('so one of another form opens nothing, whoever has its hash', async () => {
    for (const key of ['undefined', 'null', foreignString().key]) {
      await makeManagementKey(service, account, hashKeyString(key));
      expect(await saidOf(account, key)).toEqual(opensNothing('MALFORMED'));
    }
    const { key, hash } = foreignString();
    await putKey(account, hash);
    expect(await saidOf(account, key)).toEqual(opensNothing('MALFORMED'));
  });
});

describe('with FOREIGN_KEYS=on', () => {
  const service = runningApp({ FOREIGN_KEYS: 'on' });
  const account = accountOf(service);

  it('a string of another form opens the API key that has its hash', async () => {
    const { key, hash } = foreignString();
    expect(await saidOf(account, key)).toEqual(opensNothing('NOT_FOUND'));
    await putKey(account, hash);
    expect(await saidOf(account, key)).toEqual(OPENS);
  });

  it('and never a management key', async () => {
    const { key, hash } = foreignString();
    await makeManagementKey(service, account, hash);
    expect(await saidOf(account, key)).toEqual(opensNothing('NOT_FOUND'));
  });

  it.each(['sk-v1-abc', `mk-v1-${'0'.repeat(64)}`])(
    'and one that begins like ours needs its checksum: %s',
    async (key) => {
      await putKey(account, hashKeyString(key));
      expect(await saidOf(account, key)).toEqual(opensNothing('MALFORMED'));
    },
  );

  it('and it has 1 to 512 printable characters without spaces', async () => {
    for (const key of ['x'.repeat(512), 'with a space', 'schlüssel']) {
      const { body } = await account.client.post<{ data: { code: string } }>('/v1/keys/verify', {
        key,
      });
      expect(body.data.code).toBe(key.length === 512 ? 'NOT_FOUND' : 'MALFORMED');
    }
  });
});
