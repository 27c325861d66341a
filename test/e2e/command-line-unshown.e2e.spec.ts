import { execFile } from 'node:child_process';
import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { type Backends, freshBackends } from '../harness/backends.js';
import { keyledgerHere } from '../harness/command-in-process.js';
import { onlyOnLinux } from '../harness/only-on.js';

const itOnLinux = onlyOnLinux('`/dev/full` is a device of Linux');
const OWNER = "it's ada";

/** @param args the arguments of the script, as `$@`. */
function inBash(
  script: string,
  args: readonly string[] = [],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, ...settings };
  return new Promise((resolve) => {
    execFile('bash', ['-c', script, 'sh', ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}

describe('a key that cannot be shown', () => {
  let backends: Backends;

  beforeEach(async () => {
    backends = await freshBackends();
  });

  afterEach(() => backends.dispose());

  /** Runs the command line with a redirected standard output, and gives standard error. */
  async function runWith(
    arranged: string,
    args: readonly string[],
  ): Promise<{ code: unknown; stderr: string }> {
    const script = arranged.replace('COMMAND', `"$@"`);
    return inBash(script, [process.execPath, 'dist/cli.js', ...args], backends.settings);
  }

  async function created(): Promise<{ accountId: string; hash: string }> {
    const { json } = await keyledgerHere(
      backends.settings,
      ...['accounts', 'create', '--name', 'A', '--owner', OWNER, '--json'],
    );
    const { account_id } = json as { account_id: string };
    return { accountId: account_id, hash: (await liveKeys(account_id))[0] ?? '' };
  }

  async function liveKeys(accountId: string): Promise<string[]> {
    const listed = await keyledgerHere(
      backends.settings,
      ...['management-keys', 'list', '--account', accountId, '--json'],
    );
    const { data } = listed.json as { data: { hash: string; revoked_at: string | null }[] };
    return data.flatMap(({ hash, revoked_at }) => (revoked_at === null ? [hash] : []));
  }

  async function apiKeys(accountId: string): Promise<Record<string, unknown>[]> {
    const listed = await keyledgerHere(
      backends.settings,
      ...['keys', 'list', '--account', accountId, '--json'],
    );
    return (listed.json as { data: Record<string, unknown>[] }).data;
  }

  /** Runs the commands that standard error names, as a shell reads them. */
  async function carryOut(stderr: string): Promise<number> {
    const named = stderr.split('\n').filter((line) => line.startsWith('  '));
    for (const line of named) {
      const { stdout } = await inBash(`printf '%s\\n' ${line.trim()}`);
      const { code } = await keyledgerHere(backends.settings, ...stdout.trimEnd().split('\n'));
      expect({ line, code }).toEqual({ line, code: 0 });
    }
    return named.length;
  }

  /** Outputs that cannot be written: a full device, and a pipe whose reader has closed it. */
  const UNWRITABLE: readonly (readonly [string, string])[] = [
    ['on a full device', 'COMMAND > /dev/full'],
    ['to a reader that has left', 'exec 3> >(:); wait $!; COMMAND >&3'],
  ];

  describe.each(UNWRITABLE)('%s', (_, arranged) => {
    itOnLinux.each([[[]], [['--json']]])('is reported with a new account %j', async (options) => {
      const args = ['accounts', 'create', '--name', 'A', '--owner', OWNER, ...options];
      const { code, stderr } = await runWith(arranged, args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/could not be shown/);
      expect(stderr).not.toMatch(/mk-v1-/);
      const accountId = /Account (\S+) was created/.exec(stderr)?.[1] ?? '';
      const lost = await liveKeys(accountId);
      expect(lost).toHaveLength(1);
      expect(await carryOut(stderr)).toBe(2);
      const kept = await liveKeys(accountId);
      expect(kept).toHaveLength(1);
      expect(kept).not.toEqual(lost);
    });

    itOnLinux.each([[[]], [['--json']]])('is reported with an API key %j', async (options) => {
      const { accountId } = await created();
      const fields = ['--name', OWNER, '--limit', 'none', '--expires-at', '2027-01-01'];
      const args = ['keys', 'create', '--account', accountId, ...fields, ...options];
      const { code, stderr } = await runWith(arranged, args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/could not be shown/);
      expect(stderr).not.toMatch(/sk-v1-/);
      const lost = await apiKeys(accountId);
      expect(lost).toHaveLength(1);
      expect(await carryOut(stderr)).toBe(2);
      const kept = await apiKeys(accountId);
      const { hash: _, created_at: __, ...same } = lost[0] ?? {};
      expect(kept).toEqual([expect.objectContaining(same)]);
      expect(kept[0]?.hash).not.toBe(lost[0]?.hash);
    });

    itOnLinux('is reported with a key for a user', async () => {
      const { accountId, hash } = await created();
      const args = ['management-keys', 'create', '--account', accountId, '--user', OWNER];
      const { code, stderr } = await runWith(arranged, args);
      expect(code).toBe(1);
      expect(stderr).not.toMatch(/mk-v1-/);
      expect(stderr).not.toContain('was created');
      expect(await carryOut(stderr)).toBe(2);
      const kept = await liveKeys(accountId);
      expect(kept).toHaveLength(2);
      expect(kept).toContain(hash);
    });
  });
});
