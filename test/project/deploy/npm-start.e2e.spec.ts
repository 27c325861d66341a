import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/harness/eventually.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';

interface Started {
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

const BUILDER = ['@nestjs/cli'];
const OLD = "process.stdout.write('this was built before')";
const NEW = "process.stdout.write('this is new')";
/** A build that writes `NEW`. */
const BUILD = 'mkdir -p dist && cp new.js dist/main.js';
const FIRST = '1'.repeat(40);
const SECOND = '2'.repeat(40);

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
    cpSync('start.sh', join(directory.path, 'start.sh'));
    writeFileSync(join(directory.path, 'new.js'), NEW);
  }

  /**
   * Makes a commit the one of the checkout. `git` is a program that tells it, as tests need only
   * Node.
   */
  function commit(hash: string): void {
    const programs = join(directory.path, 'programs');
    mkdirSync(programs, { recursive: true });
    writeFileSync(join(programs, 'git'), `#!/bin/sh\necho ${hash}\n`);
    chmodSync(join(programs, 'git'), 0o755);
  }

  /** Puts `OLD` into `dist/`, as built from a commit a minute ago. */
  function builtFrom(hash: string): void {
    const dist = join(directory.path, 'dist');
    mkdirSync(join(dist, 'console'), { recursive: true });
    writeFileSync(join(dist, 'console/index.html'), '');
    writeFileSync(join(dist, 'main.js'), OLD);
    writeFileSync(join(dist, 'cli.js'), `console.log('0.1.0 (commit ${hash})')`);
    const aMinuteAgo = Date.now() / 1_000 - 60;
    for (const file of ['main.js', 'console/index.html']) {
      utimesSync(join(dist, file), aMinuteAgo, aMinuteAgo);
    }
  }

  function start(): Started {
    const child = spawn('npm', ['start', '--silent'], {
      cwd: directory.path,
      env: {
        PATH: `${directory.path}/programs:${process.env.PATH}`,
        HOME: directory.path,
        PORT: '0',
      },
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
    checkOut({ ...PACKAGE.scripts, build: BUILD }, BUILDER);
    const { output, ended } = start();
    expect(await ended).toBe(0);
    expect(output()).toBe('this is new');
  });

  it.each([
    ['nothing where all is as it was built', FIRST, 'none', BUILDER, 'this was built before'],
    ['anew what was built from another commit', SECOND, 'none', BUILDER, 'this is new'],
    ['anew what was built before a source changed', FIRST, 'source', BUILDER, 'this is new'],
    ['anew what was built without the console', FIRST, 'console', BUILDER, 'this is new'],
    ['anew what npm run dev has built beside an old console', FIRST, 'dev', BUILDER, 'this is new'],
    [
      'nothing where only what runs it is installed, and says so',
      SECOND,
      'source',
      [],
      'Starts what was built before, because it cannot build here.\nthis was built before',
    ],
  ])('builds %s', async (_, now, change, packages, expected) => {
    checkOut({ ...PACKAGE.scripts, build: BUILD }, packages);
    commit(now);
    builtFrom(FIRST);
    if (change === 'source' || change === 'dev') {
      mkdirSync(join(directory.path, 'src'));
      writeFileSync(join(directory.path, 'src/main.ts'), '');
    }
    if (change === 'dev') writeFileSync(join(directory.path, 'dist/main.js'), OLD);
    if (change === 'console') rmSync(join(directory.path, 'dist/console'), { recursive: true });
    const { output, ended } = start();
    expect(await ended).toBe(0);
    expect(output()).toBe(expected);
  });

  it('builds what says its version and commit in its first line and to --version', async () => {
    checkOut(PACKAGE.scripts, []);
    rmdirSync(join(directory.path, 'node_modules'));
    symlinkSync(resolve('node_modules'), join(directory.path, 'node_modules'));
    for (const name of ['src', 'tsconfig.json', 'nest-cli.json', 'rspack.config.js'])
      cpSync(name, join(directory.path, name), { recursive: true });
    commit(SECOND);
    const { output } = start();
    const build = `"version":"${PACKAGE.version}","commit":"${SECOND}"`;
    await eventually('the service is ready', () => output().includes('"msg":"ready"'), 60_000);
    expect(
      output()
        .split('\n')
        .find((line) => line.startsWith('{')),
    ).toContain(build);
    const { stdout } = await promisify(execFile)('node', ['dist/cli.js', '--version'], {
      cwd: directory.path,
    });
    expect(stdout).toBe(`${PACKAGE.version} (commit ${SECOND})\n`);
  });

  it('starts nothing after a build that failed', async () => {
    checkOut({ ...PACKAGE.scripts, build: 'exit 3' }, BUILDER);
    const { output, ended } = start();
    expect(await ended).toBe(3);
    expect(output()).toBe('');
  });
});

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string;
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
