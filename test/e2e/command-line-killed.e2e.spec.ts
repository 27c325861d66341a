import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createKey } from '../harness/api-keys.js';
import { auditEvents } from '../harness/audit-events.js';
import { type Backends, freshBackends } from '../harness/backends.js';
import { keyledger } from '../harness/command-line.js';
import { eventually } from '../harness/eventually.js';
import { type ServiceProcess, startService } from '../harness/service-process.js';

/** Several times the number of keys that one step disables. */
const MANY = 450;
const KILLED_WITHIN_MS = 20_000;

interface Opened {
  readonly account_id: string;
  readonly management_key: string;
}

describe('a command that is killed', () => {
  let backends: Backends;
  let service: ServiceProcess;

  beforeEach(async () => {
    backends = await freshBackends();
    service = await startService(backends.settings);
  });

  afterEach(async () => {
    await service.stop('SIGKILL');
    await backends.dispose();
  });

  it('while it disables the keys of a member is finished by another run', async () => {
    const run = async (...args: string[]): Promise<unknown> => {
      const { code, stderr, json } = await keyledger(backends.settings, ...args, '--json');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return json;
    };
    const opened = await run('accounts', 'create', '--name', 'Ada', '--owner', 'ada');
    const { account_id, management_key } = opened as Opened;
    const client = service.client.as(management_key);
    const bob = ['--account', account_id, '--user', 'bob'];
    await run('members', 'add', ...bob);
    const fields = { creator_user_id: 'bob' };
    await Promise.all(Array.from({ length: MANY }, () => createKey(client, fields)));
    const live = async (): Promise<number> => {
      const path = '/v1/keys?creator_user_id=bob&limit=1';
      return (await client.get<{ total_count: number }>(path)).body.total_count;
    };
    expect(await live()).toBe(MANY);

    const remove = ['members', 'remove', ...bob, '--disable-keys'];
    const child = spawn(process.execPath, ['dist/cli.js', ...remove], {
      env: { PATH: process.env.PATH, ...backends.settings },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await eventually('some keys are disabled', async () => (await live()) < MANY, KILLED_WITHIN_MS);
    child.kill('SIGKILL');
    await ended;
    expect(child.signalCode).toBe('SIGKILL');
    const left = await live();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(MANY);

    for (const disabled_api_keys of [left, 0]) {
      expect(await run(...remove)).toMatchObject({ live_api_keys: 0, disabled_api_keys });
    }
    await eventually('no key is enabled', async () => (await live()) === 0);
    const disabled = await auditEvents(client, 'action=key.disabled&limit=100');
    expect(disabled).toHaveLength(MANY);
    expect(new Set(disabled.map(({ target }) => target.id)).size).toBe(MANY);
    expect(await auditEvents(client, 'action=member.removed')).toHaveLength(1);
  }, 60_000);
});
