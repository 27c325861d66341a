import { accessSync, constants, readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isSystemError } from '../../kernel/system-error.js';
import { isOpenToOthers } from '../../process/open-to-others.js';
import { type Finding, findingsOf, looked } from './finding.js';

const findings = findingsOf('disk');
const { ok, warn, fail } = findings;

const MB = 1_000_000;
const LEAST_FREE = 64 * MB;
const LITTLE_FREE = 1_000 * MB;
const OTHERS_READ_OR_WRITE = 0o006;

/** File systems on which locks and shared memory of SQLite do not work between machines, by their number in Linux. */
const ON_A_NETWORK = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
]);
const PASSING = new Map([
  [0x01021994, 'tmpfs'],
  [0x794c7630, 'the layer of a container'],
]);

/** Looks at the directory of the embedded log or the embedded read models. */
export async function lookAtDisk(dataDir: string): Promise<readonly Finding[]> {
  const found = statSync(dataDir, { throwIfNoEntry: false });
  if (found === undefined) {
    const todo = 'set DATA_DIR to the data directory of the service; a first start creates it';
    return [warn(`there is no directory ${dataDir}`, todo)];
  }
  if (!found.isDirectory()) {
    return [fail(`${dataDir} is not a directory`, 'set DATA_DIR to a directory')];
  }
  const todo = 'run doctor as the user of the service';
  const looks = [rights, files, room, fileSystem].map((look) =>
    looked(findings, todo, () => look(dataDir)),
  );
  return (await Promise.all(looks)).flat();
}

function rights(dataDir: string): Finding[] {
  const cure = `chmod o-w ${dataDir}`;
  if (isOpenToOthers(dataDir)) return [fail(`everybody can write to ${dataDir}`, cure)];
  const forbidden = mayNot(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  if (!forbidden) return [ok(`${dataDir} can be written by ${user()}, and not by everybody`)];
  return [fail(`${dataDir} cannot be written by ${user()}`, `chown or chmod ${dataDir}`)];
}

/** Returns findings about files with wrong access rights: at most five of each kind, because all have one cause. */
function files(dataDir: string): Finding[] {
  const MOST = 5;
  const paths = pathsIn(dataDir);
  const unusable = paths
    .filter((path) => mayNot(path, constants.R_OK | constants.W_OK))
    .map((path) =>
      fail(`${path} cannot be read and written by ${user()}`, `chown or chmod ${path}`),
    );
  const open = paths
    .filter(
      (path) =>
        ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS_READ_OR_WRITE) !== 0,
    )
    .map((path) =>
      warn(`others can read ${path}, which has names and hashes of keys`, `chmod o-rw ${path}`),
    );
  return [...unusable.slice(0, MOST), ...open.slice(0, MOST)];
}

function room(dataDir: string): Finding[] {
  const { bavail, bsize, files: inodes, ffree } = statfsSync(dataDir);
  const free = bavail * bsize;
  const used = pathsIn(dataDir).reduce(
    (bytes, path) => bytes + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  const what = `${inMb(free)} are free, and log and read models have ${inMb(used)}`;
  const todo =
    'make room: with a full disk changes are refused (docs/runbooks/make-room-on-a-full-disk.md)';
  if (inodes > 0 && ffree === 0) return [fail('the file system has no inode left', todo)];
  if (free < LEAST_FREE) return [fail(what, todo)];
  if (free >= Math.max(LITTLE_FREE, used)) return [ok(what)];
  return [warn(what, 'make room: a rebuild and a backup on this disk need a second copy')];
}

function fileSystem(dataDir: string): Finding[] {
  const { type } = statfsSync(dataDir);
  const network = ON_A_NETWORK.get(type);
  if (network !== undefined) {
    const todo = 'use a local disk or a block device: one process, on one machine, may use it';
    return [warn(`${dataDir} is on ${network}, where locks of SQLite may not hold`, todo)];
  }
  const passing = PASSING.get(type);
  if (passing === undefined) return [ok('the file system is local')];
  return [warn(`${dataDir} is on ${passing}, and goes with it`, 'use a disk or a volume')];
}

/** Returns the files of the service in a data directory. */
function pathsIn(dataDir: string): string[] {
  const names = readdirSync(dataDir, { withFileTypes: true });
  const own = names.filter((entry) => entry.isFile() && entry.name.startsWith('events.db'));
  const readModels = names.some(({ name }) => name === 'read-models')
    ? readdirSync(join(dataDir, 'read-models')).map((name) => join('read-models', name))
    : [];
  return [...own.map(({ name }) => name), ...readModels].map((name) => join(dataDir, name));
}

function mayNot(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return false;
  } catch (error) {
    // A running service may have removed the file.
    if (isSystemError(error)) return (error as NodeJS.ErrnoException).code !== 'ENOENT';
    throw error;
  }
}

function user(): string {
  return `user ${process.geteuid?.() ?? 'unknown'}`;
}

function inMb(bytes: number): string {
  return `${Math.round(bytes / MB)} MB`;
}
