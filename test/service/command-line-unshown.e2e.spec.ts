import { execFile } from 'node:child_process';
import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { onlyOnLinux } from '../support/harness/only-on.js';

const itOnLinux = onlyOnLinux('`/dev/full` is a device of Linux');
const COMMAND = [process.execPath, 'dist/cli.js', 'accounts', 'create', '--name', 'A'];

describe('a key that cannot be shown', () => {
  let backends: Backends;

  beforeEach(async () => {
    backends = await freshBackends();
  });

  afterEach(() => backends.dispose());

  function inBash(script: string): Promise<{ code: unknown; stderr: string }> {
    const env = { PATH: process.env.PATH, ...backends.settings };
    const args = ['-c', script, 'sh', ...COMMAND, '--owner', 'ada'];
    return new Promise((resolve) => {
      execFile('bash', args, { env }, (error, _, stderr) => {
        resolve({ code: error?.code ?? 0, stderr });
      });
    });
  }

  itOnLinux.each([
    ['on a full device', '"$@" > /dev/full'],
    ['to a reader that has left', 'exec 3> >(:); wait $!; "$@" >&3'],
  ])('is a failure %s', async (_, script) => {
    const { code, stderr } = await inBash(script);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^keyledger: \S/m);
    expect(stderr).not.toMatch(/mk-v1-/);
  });
});
