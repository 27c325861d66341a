import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { eventually } from '../harness/eventually.js';
import { makeTempDirectory } from '../harness/temp-directory.js';
import { freePort, ServerProcess } from './server-process.js';

const ANSWERS_WITHIN_MS = 20_000;
const SCRIPTS = 'test/support/backends';

export type MongoDbKind = 'given' | 'mongod' | 'ferretdb';

/** A server that speaks the protocol of MongoDB. */
export interface MongoDbServer {
  readonly kind: MongoDbKind;
  /** The URI, with an unused database. */
  freshUri(): string;
  /** Resolves when the server answers. */
  answers(): Promise<void>;
  /** Absent for a given server. */
  readonly process?: ServerProcess;
  stop(): Promise<void>;
}

interface Found {
  readonly kind: MongoDbKind;
  readonly start: () => Promise<MongoDbServer>;
}

/** The server that was found, or the reason why none was. */
export const found = find();

/** @throws when there is no server, with the reason. */
export function startMongoDb(): Promise<MongoDbServer> {
  if (typeof found === 'string') throw new Error(`no MongoDB: ${found}`);
  return found.start();
}

/** In the order of preference. A text is the reason why a kind of server is missing. */
function find(): Found | string {
  const given = process.env.TEST_MONGODB_URI;
  if (given !== undefined && given !== '') {
    return { kind: 'given', start: async () => givenServer(given) };
  }
  const mongod = programOnPath('mongod');
  if (mongod !== undefined) {
    return { kind: 'mongod', start: () => ownServer('mongod', mongod, mongodArguments) };
  }
  const downloaded = programMadeBy('download-mongod.mjs');
  if (downloaded.path !== undefined) {
    const { path } = downloaded;
    return { kind: 'mongod', start: () => ownServer('mongod', path, mongodArguments) };
  }
  process.stderr.write(`no MongoDB could be downloaded: ${downloaded.problem}\n`);
  if (programOnPath('go') === undefined) {
    return 'TEST_MONGODB_URI is not set, neither mongod nor Go, which could build one, is on the PATH, and none could be downloaded';
  }
  const built = programMadeBy('ferretdb/build-ferretdb.mjs');
  if (built.path === undefined) return `FerretDB could not be built: ${built.problem}`;
  const { path } = built;
  return { kind: 'ferretdb', start: () => ownServer('ferretdb', path, ferretDbArguments) };
}

type Made =
  | { readonly path: string; readonly problem?: never }
  | { readonly path?: never; readonly problem: string };

/** @param script a script that prints the path of the program. */
function programMadeBy(script: string): Made {
  const file = join(SCRIPTS, script);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  return status === 0 ? { path: stdout.trim() } : { problem: stderr.slice(-2_000) };
}

function mongodArguments(directory: string, port: number): string[] {
  return ['--dbpath', directory, '--port', String(port), '--bind_ip', '127.0.0.1', '--quiet'];
}

function ferretDbArguments(directory: string, port: number): string[] {
  return ['-directory', directory, '-listen', `127.0.0.1:${port}`];
}

async function ownServer(
  kind: MongoDbKind,
  program: string,
  argumentsOf: (directory: string, port: number) => string[],
): Promise<MongoDbServer> {
  const directory = makeTempDirectory();
  const port = await freePort();
  const process = new ServerProcess(program, argumentsOf(directory.path, port));
  const origin = `mongodb://127.0.0.1:${port}`;
  const answers = (): Promise<void> => answersAt(origin);
  await answers();
  return {
    kind,
    process,
    answers,
    freshUri: () => `${origin}/${freshDatabase()}`,
    async stop() {
      await process.kill();
      directory.remove();
    },
  };
}

function givenServer(uri: string): MongoDbServer {
  return {
    kind: 'given',
    answers: () => answersAt(uri),
    freshUri: () => withDatabase(uri, freshDatabase()),
    stop: async () => undefined,
  };
}

function freshDatabase(): string {
  return `keyledger-test-${randomUUID().slice(0, 18)}`;
}

function withDatabase(uri: string, database: string): string {
  const [, start, options = ''] = /^([^/]*\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(uri) ?? [];
  if (start === undefined) throw new Error('TEST_MONGODB_URI is no URI of a MongoDB');
  return `${start}/${database}${options}`;
}

async function answersAt(uri: string): Promise<void> {
  await eventually(
    'MongoDB answers',
    async () => {
      const client = new MongoClient(uri, { serverSelectionTimeoutMS: 1_000 });
      try {
        await client.db('admin').command({ ping: 1 });
        return true;
      } catch {
        return false;
      } finally {
        await client.close();
      }
    },
    ANSWERS_WITHIN_MS,
  );
}

function programOnPath(name: string): string | undefined {
  const { status, stdout } = spawnSync('which', [name], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
