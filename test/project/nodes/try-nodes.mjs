// Tests the checkout on other versions of Node: a clean install, a start, the walk of the README
// and the crash suite for each. Arguments name versions, such as 24. Without arguments, every
// supported version is tested.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';

/** Node 20: the first release that the service runs on. */
const SUPPORTED = ['20.19', '22', '24', '26'];
const SUITES = ['test/project/docs/readme.spec.ts', 'test/service/crash.e2e.spec.ts'];
const JEST = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
const READY_WITHIN_MS = 120_000;
const SHOWN_LINES = 40;

const CHECKOUT = join(import.meta.dirname, '../../..');
/** test/project/deploy/fetch-programs.mjs keeps programs in this folder too. */
const NODES = join(CHECKOUT, 'node_modules/.cache/keyledger/nodes');
/** The package with the program and the headers, for native modules. */
const PACKAGE = `node-${process.platform}-${process.arch}`;

const given = process.argv.slice(2);
const npm = process.env.npm_execpath;
if (npm === undefined) throw new Error('run this as npm run test:nodes');

for (const version of given.length > 0 ? given : SUPPORTED) {
  const begun = performance.now();
  const { line, passed } = await tried(version);
  const seconds = Math.round((performance.now() - begun) / 1_000);
  process.stdout.write(`Node ${line} in ${seconds} s\n`);
  if (!passed) process.exitCode = 1;
}

/** Tests one version. Never throws, so that the other versions are tested too. */
async function tried(version) {
  const checkout = mkdtempSync(join(tmpdir(), 'keyledger-node-'));
  let name = version;
  try {
    const home = fetched(version);
    const environment = environmentOf(home);
    name = run('node', ['--version'], { env: environment }).trim().slice(1);
    copyFiles(checkout);
    const options = { cwd: checkout, env: environment };
    run('node', [npm, 'ci', '--no-audit', '--no-fund'], options);
    run('node', [npm, 'run', '--silent', 'build'], options);
    await start(options);
    run('node', [...JEST, '--runInBand', ...SUITES], options);
    return { line: `${name}: installed, started, walk and crash suite passed`, passed: true };
  } catch (error) {
    return { line: `${name}: FAILED: ${error.message}`, passed: false };
  } finally {
    rmSync(checkout, { recursive: true, force: true });
  }
}

/**
 * Fetches a version of Node, unless an earlier run did. @returns the folder with its `bin` and
 * `include`.
 */
function fetched(version) {
  if (!/^\d+(\.\d+){0,2}$/.test(version)) throw new Error('not a version such as 24 or 20.19');
  const home = join(NODES, version);
  if (existsSync(home)) return home;
  mkdirSync(NODES, { recursive: true });
  // A concurrent search finds a complete Node, or none.
  const place = mkdtempSync(join(NODES, 'fetching-'));
  try {
    run('node', [npm, 'pack', '--silent', `${PACKAGE}@${version}`], { cwd: place });
    const packed = readdirSync(place).find((file) => file.endsWith('.tgz'));
    if (packed === undefined) throw new Error(`there is no ${PACKAGE}@${version}`);
    run('tar', ['-xzf', packed], { cwd: place });
    renameSync(join(place, 'package'), home);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  return home;
}

/**
 * Gives the environment in which `node` is that version. Native modules are compiled against its
 * headers.
 */
function environmentOf(home) {
  return {
    ...process.env,
    PATH: [join(home, 'bin'), process.env.PATH].join(delimiter),
    npm_config_nodedir: home,
  };
}

/** Copies the files of the checkout, including uncommitted ones. */
function copyFiles(target) {
  const asked = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  for (const file of run('git', asked, { cwd: CHECKOUT }).split('\0')) {
    const source = join(CHECKOUT, file);
    if (file === '' || !existsSync(source)) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(source, join(target, file));
  }
}

/** Starts the service, waits until it is ready, and stops it. A warning of Node is a failure. */
async function start({ cwd, env }) {
  const settings = { PORT: '0', DATA_DIR: join(cwd, 'data'), LOG_LEVEL: 'info' };
  const service = spawn('node', ['dist/main.js'], { cwd, env: { ...env, ...settings } });
  const late = setTimeout(() => service.kill('SIGKILL'), READY_WITHIN_MS);
  let output = '';
  let isReady = false;
  const take = (text) => {
    output += text;
    if (isReady || !output.includes('"msg":"ready"')) return;
    isReady = true;
    service.kill('SIGTERM');
  };
  service.stdout.setEncoding('utf8').on('data', take);
  service.stderr.setEncoding('utf8').on('data', take);
  const [code, signal] = await once(service, 'close');
  clearTimeout(late);
  if (!isReady || code !== 0)
    throw new Error(`the service ended with ${code ?? signal}:\n${tail(output)}`);
  if (/\bWarning: /.test(output)) throw new Error(`the start warns:\n${tail(output)}`);
}

function run(command, args, options = {}) {
  const { status, signal, stdout, stderr, error } = spawnSync(command, args, {
    ...options,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  const what = [command, ...args].join(' ');
  throw error ?? new Error(`${what} ended with ${status ?? signal}:\n${tail(stdout + stderr)}`);
}

function tail(text) {
  return text.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
}
