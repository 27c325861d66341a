import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/key-strings/key-string.js';
import { createKey, type CreatedKey } from '../harness/api-keys.js';
import { keyledgerHere, keyledgerHereReading } from '../harness/command-in-process.js';
import type { CommandLineResult } from '../harness/command-line.js';
import { createWorkspace } from '../harness/workspace-routes.js';
import { startApp, type StartedApp, type TestAccount } from '../harness/running-app.js';

describe('keyledger keys verify', () => {
  let service: StartedApp;
  let account: TestAccount;
  let created: CreatedKey;

  beforeAll(async () => {
    service = await startApp();
    account = await service.openAccount();
    created = await createKey(account.client, { limit: 5 });
  });

  afterAll(() => service.stop());

  function verify(input: string, ...args: readonly string[]): Promise<CommandLineResult> {
    return keyledgerHereReading(input, service.backends.settings, 'keys', 'verify', ...args);
  }

  it('says the same as the route, with the account', async () => {
    const { key } = created;
    const answer = await account.client.post<{ data: object }>('/v1/keys/verify', { key });
    const { code, json } = await verify(`${key}\n`, '--json');
    expect({ code, json }).toEqual({
      code: 0,
      json: { account_id: account.accountId, ...answer.body.data },
    });
    const { stdout } = await verify(key);
    expect(stdout).toMatch(/^code +VALID$/m);
    expect(stdout).not.toContain(key);
  });

  it('exits with 1 for a key that may not be used, and says why', async () => {
    const { id } = await createWorkspace(account.client);
    const other = await service.openAccount();
    const disabled = await createKey(account.client);
    await account.client.patch(`/v1/keys/${disabled.data.hash}`, { disabled: true });
    const cases = [
      ['x', [], 'MALFORMED'],
      [mintKeyString('sk-v1-'), [], 'NOT_FOUND'],
      [account.managementKey, [], 'NOT_FOUND'],
      [created.key, ['--account', other.accountId], 'NOT_FOUND'],
      [disabled.key, ['--account', account.accountId], 'DISABLED'],
      [created.key, ['--workspace', id], 'WRONG_WORKSPACE'],
    ] as const;
    for (const [key, args, expected] of cases) {
      const { code, json, stderr } = await verify(key, ...args, '--json');
      expect({ code, json, stderr }).toMatchObject({
        code: 1,
        json: { valid: false, code: expected },
        stderr: '',
      });
    }
  });

  it('takes no key from an argument, and one key alone from standard input', async () => {
    const { key } = created;
    const named = await keyledgerHere(service.backends.settings, 'keys', 'verify', key);
    expect(named).toMatchObject({ code: 2, stdout: '' });
    expect(named.stderr).not.toContain(key);
    for (const input of ['', '\n', `${key}\n${key}`, 'x'.repeat(600)]) {
      const refused = await verify(input);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).not.toContain(key);
    }
  });
});
