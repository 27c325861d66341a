import process from 'node:process';
// Builds the test server once for each state of its sources, and prints the path of the program.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = import.meta.dirname;
const CACHE = join(SOURCES, '../../../node_modules/.cache/keyledger');

const hash = createHash('sha256');
for (const file of ['go.mod', 'go.sum', 'main.go', 'door.go']) {
  hash.update(readFileSync(join(SOURCES, file)));
}
const program = join(CACHE, `ferretdb-${hash.digest('hex').slice(0, 16)}`);
if (!existsSync(program)) {
  mkdirSync(CACHE, { recursive: true });
  // Several may build it at once; each moves a whole one into place.
  const unfinished = `${program}.${process.pid}`;
  const { status, error } = spawnSync('go', ['build', '-o', unfinished, '.'], {
    cwd: SOURCES,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly -buildvcs=false' },
  });
  if (status !== 0) throw error ?? new Error(`go build ended with ${status}`);
  renameSync(unfinished, program);
}
process.stdout.write(`${program}\n`);
