import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/harness/eventually.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';

interface Started {
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

const BUILDER = ['@nestjs/cli'];
const STARTED = "process.stdout.write('this was built')";

describe('npm start', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let children: ChildProcess[];

  /** A checkout with these packages only. */
  function checkOut(scripts: Readonly<Record<string, string>>, packages: readonly string[]): void {
    const modules = join(directory.path, 'node_modules');
    mkdirSync(modules);
    for (const name of packages) {
      mkdirSync(join(modules, name, '..'), { recursive: true });
      symlinkSync(resolve('node_modules', name), join(modules, name));
    }
    writeFileSync(join(directory.path, 'package.json'), JSON.stringify({ ...PACKAGE, scripts }));
  }

  function start(): Started {
    const child = spawn('npm', ['start', '--silent'], {
      cwd: directory.path,
      env: { PATH: process.env.PATH, HOME: directory.path, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    }
    return { output: () => output, ended: once(child, 'close').then(() => child.exitCode) };
  }

  beforeEach(() => {
    directory = makeTempDirectory();
    children = [];
  });

  afterEach(() => {
    for (const { exitCode, pid } of children) {
      if (exitCode === null && pid !== undefined) process.kill(-pid, 'SIGKILL');
    }
    directory.remove();
  });

  it('starts what is built where only what runs it is installed', async () => {
    checkOut(PACKAGE.scripts, WITHOUT_DEV);
    cpSync('dist', join(directory.path, 'dist'), { recursive: true });
    const { output, ended } = start();
    await eventually('the service is ready', () => output().includes('"msg":"ready"'), 30_000);
    const [child] = children;
    child?.kill('SIGTERM');
    await ended;
    expect(output()).toContain('"msg":"stopped"');
    expect(readdirSync(join(directory.path, 'data'))).toContain('events.db');
  });

  it('says what to do where nothing is built and nothing can be', async () => {
    checkOut(PACKAGE.scripts, []);
    const { output, ended } = start();
    expect(await ended).toBe(1);
    expect(output().trim().split('\n')).toEqual([expect.stringContaining('Run `npm ci`')]);
  });

  it('builds first where nothing is built', async () => {
    checkOut({ ...PACKAGE.scripts, build: 'mkdir dist && cp built.js dist/main.js' }, BUILDER);
    writeFileSync(join(directory.path, 'built.js'), STARTED);
    const { output, ended } = start();
    expect(await ended).toBe(0);
    expect(output()).toBe('this was built');
  });

  it('builds nothing where something is built', async () => {
    checkOut({ ...PACKAGE.scripts, build: 'exit 3' }, BUILDER);
    mkdirSync(join(directory.path, 'dist'));
    writeFileSync(join(directory.path, 'dist/main.js'), STARTED);
    const { output, ended } = start();
    expect(await ended).toBe(0);
    expect(output()).toBe('this was built');
  });

  it('starts nothing after a build that failed', async () => {
    checkOut({ ...PACKAGE.scripts, build: 'exit 3' }, BUILDER);
    const { output, ended } = start();
    expect(await ended).toBe(3);
    expect(output()).toBe('');
  });
});

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

const LOCK = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, { readonly dev?: true; readonly optional?: true }>>;
};

/** The packages that `npm ci --omit=dev` puts directly into `node_modules/`. */
const WITHOUT_DEV = Object.entries(LOCK.packages).flatMap(([path, { dev, optional }]) => {
  const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
  return name === undefined || dev || optional ? [] : [name];
});
