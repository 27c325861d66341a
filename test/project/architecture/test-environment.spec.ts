import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { directoryOfEach } from '../../support/harness/stage.js';

const jest = resolve('node_modules/jest/bin/jest.js');

describe('the environment of tests', () => {
  const directory = directoryOfEach();

  /**
   * Runs a test in Jest that starts a process, which never ends. @returns how Jest ended, and
   * whether the process runs.
   */
  function runTest(rest: string): { status: number | null; stderr: string; isLeft: boolean } {
    const rootDir = directory.path;
    const file = join(rootDir, 'one.spec.js');
    writeFileSync(
      file,
      `test('one', () => {
        const args = ['-e', 'setInterval(() => 0, 1000)'];
        const child = require('child_process').spawn(process.execPath, args, { stdio: 'ignore' });
        require('fs').writeFileSync('${rootDir}/pid', String(child.pid));
        ${rest}
      }, 100);`,
    );
    const testEnvironment = resolve('test/support/harness/test-environment.mjs');
    const config = JSON.stringify({ rootDir, testEnvironment, transform: {} });
    const { status, stderr } = spawnSync(process.execPath, [jest, '--config', config, file], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    const pid = Number(readFileSync(join(rootDir, 'pid'), 'utf8'));
    const isLeft = isRunning(pid);
    if (isLeft) process.kill(pid, 'SIGKILL');
    return { status, stderr, isLeft };
  }

  it('leaves no process behind when a test times out', () => {
    const { stderr, ...rest } = runTest('return new Promise(() => undefined);');
    expect(rest).toEqual({ status: 1, isLeft: false });
    expect(stderr).toContain('Exceeded timeout of 100 ms');
  });

  it('fails a file whose tests pass and leave a process', () => {
    const { stderr, ...rest } = runTest('');
    expect(rest).toEqual({ status: 1, isLeft: false });
    expect(stderr).toContain('left open: ');
  });
});

/** Whether a process runs. One that has ended and that nobody has waited for does not count. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return /^[^Z]/.test(stdout.trim());
}
