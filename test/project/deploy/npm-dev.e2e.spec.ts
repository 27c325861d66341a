import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/harness/eventually.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';

const WITHIN_MS = 60_000;

/** A program that prints its name, and whether its decorators see the types of their targets. */
const service = (name: string): string => `
import 'reflect-metadata';
process.on('SIGTERM', () => {
  process.stdout.write('${name} stopped\\n');
  process.exit();
});
const typed = (target: object, property: string) => {
  process.stdout.write('${name} ' + Reflect.getMetadata('design:type', target, property).name + '\\n');
};
class Settings {
  @typed port: number = 3000;
}
new Settings();
setInterval(() => undefined, 1_000);
`;

describe('npm run dev', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let child: ChildProcess;
  let output: string;

  beforeEach(() => {
    directory = makeTempDirectory();
    for (const file of ['package.json', 'tsconfig.json', 'nest-cli.json', 'rspack.config.js']) {
      cpSync(file, join(directory.path, file));
    }
    symlinkSync(resolve('node_modules'), join(directory.path, 'node_modules'));
    cpSync('src', join(directory.path, 'src'), { recursive: true });
    write(service('first'));
    output = '';
    child = spawn('npm', ['run', '--silent', 'dev'], {
      cwd: directory.path,
      env: { PATH: process.env.PATH, HOME: directory.path },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    }
  });

  afterEach(() => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    directory.remove();
  });

  function write(program: string): void {
    writeFileSync(join(directory.path, 'src/main.ts'), program);
  }

  const says = (text: string) => eventually(text, () => output.includes(text), WITHIN_MS);

  it(
    'starts what is built, starts it anew after each change that can be built, and stops it',
    async () => {
      await says('first Number');
      write(`${service('broken')} const wrong = ;`);
      await says('Expression expected');
      expect(output).not.toContain('first stopped');
      write(service('second'));
      await says('second Number');
      expect(output.indexOf('first stopped')).toBeLessThan(output.indexOf('second Number'));
      expect(output).not.toContain('broken Number');
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
      expect(output).toContain('second stopped');
    },
    3 * WITHIN_MS,
  );
});
