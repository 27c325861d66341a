import { beforeAll, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { createKey } from '../support/harness/api-keys.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { errorOf } from '../support/harness/error-of.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

describe('a key string in a body', () => {
  const service = runningApp();
  let account: TestAccount;
  let hash: string;
  let workspace: string;

  beforeAll(async () => {
    account = await service.openAccount();
    ({
      data: { hash },
    } = await createKey(account.client));
    workspace = await makeWorkspace(service, account, {});
  });

  const secret = mintKeyString('sk-v1-');

  const CASES: readonly (readonly [string, string, string, object])[] = [
    ['POST', '/v1/keys', 'name', { name: secret }],
    ['POST', '/v1/keys', 'name', { name: `my key is ${secret}, keep it` }],
    ['POST', '/v1/keys', 'creator_user_id', { name: 'k', creator_user_id: secret }],
    ['POST', '/v1/keys', 'external.user', { name: 'k', external: { user: secret } }],
    ['POST', '/v1/keys', 'external.lookup_key', { name: 'k', external: { lookup_key: secret } }],
    ['POST', '/v1/keys', 'unknown', { name: 'k', unknown: [{ deep: 1 }, secret] }],
    ['POST', '/v1/keys', '', { name: 'k', [secret]: 1 }],
    ['POST', '/v1/keys', 'external', { name: 'k', external: { [`a${secret}`]: 1 } }],
    ['PATCH', '/v1/keys/{hash}', 'name', { name: secret }],
    ['POST', '/v1/end-users', 'user', { user: secret }],
    ['POST', '/v1/end-users', '', { [secret]: 'user' }],
    ['POST', '/v1/workspaces', 'name', { name: secret }],
    ['POST', '/v1/workspaces', 'restrictions', { name: 'w', restrictions: ['a', secret] }],
    ['PATCH', '/v1/workspaces/{workspace}', 'description', { description: secret }],
    ['POST', '/v1/workspaces/{workspace}/members/add', 'user_ids', { user_ids: [secret] }],
    ['POST', '/v1/workspaces/{workspace}/members/remove', 'user_ids', { user_ids: [secret] }],
  ];

  function send(method: string, template: string, body: unknown) {
    const path = template.replace('{hash}', hash).replace('{workspace}', workspace);
    return account.client.send(method, path, { body });
  }

  it.each(CASES)('is 400 on %s %s and named at "%s"', async (method, path, field, body) => {
    const answer = await send(method, path, body);
    const { reason, paths } = errorOf(answer, 400);
    expect({ reason, paths }).toEqual({ reason: 'request-invalid', paths: [field] });
    expect(answer.text).not.toContain(secret);
  });

  it('is detected in every JSON escape, and behind any other text', async () => {
    const escaped = Array.from(
      secret,
      (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
    );
    for (const name of [escaped.join(''), `sk-v1-${secret}`, `${'0'.repeat(70)}${secret}0`]) {
      errorOf(await send('POST', '/v1/keys', `{"name":"${name}"}`), 400);
    }
  });

  it('may be one with a wrong checksum, which opens nothing', async () => {
    const wrong = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');
    expect(await send('POST', '/v1/keys', { name: wrong })).toMatchObject({ status: 201 });
  });

  it('is wrong usage as an argument of the command line', async () => {
    const add = ['members', 'add', '--account', account.accountId, '--user', secret];
    const { code, stdout, stderr } = await keyledgerHere({}, ...add);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('key string');
    expect(stderr).not.toContain(secret);
  });
});
