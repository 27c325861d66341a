import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { eventually } from '../harness/eventually.js';
import { makeTempDirectory } from '../harness/temp-directory.js';
import { freePort, ServerProcess } from './server-process.js';

const ANSWERS_WITHIN_MS = 20_000;
const SCRIPTS = 'test/support/backends';

export type MongoDbKind = 'given' | 'mongod' | 'simulator';

/** A replica set. */
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

/** In the order of preference. */
export const found = find();

export function startMongoDb(): Promise<MongoDbServer> {
  return found.start();
}

function find(): Found {
  const given = process.env.TEST_MONGODB_URI;
  if (given !== undefined && given !== '') {
    return { kind: 'given', start: async () => givenServer(given) };
  }
  const mongod = programOnPath('mongod');
  if (mongod !== undefined) {
    return { kind: 'mongod', start: () => ownServer('mongod', mongod, mongodArguments) };
  }
  process.stderr.write('NOT RUN on a MongoDB, as there is none: the simulator stands in for it\n');
  return {
    kind: 'simulator',
    start: () => ownServer('simulator', process.execPath, simulatorArguments),
  };
}

function mongodArguments(directory: string, port: number): string[] {
  const place = ['--dbpath', directory, '--port', String(port), '--bind_ip', '127.0.0.1'];
  return [...place, '--replSet', 'rs0', '--quiet'];
}

function simulatorArguments(directory: string, port: number): string[] {
  const [loader, main] = ['eventstoredb-simulator/typescript.mjs', 'mongodb-simulator/main.ts'];
  return [
    ...['--import', `./${SCRIPTS}/${loader}`, `${SCRIPTS}/${main}`],
    ...[join(directory, 'journal'), String(port)],
  ];
}

async function ownServer(
  kind: MongoDbKind,
  program: string,
  argumentsOf: (directory: string, port: number) => string[],
): Promise<MongoDbServer> {
  const directory = makeTempDirectory();
  const port = await freePort();
  const process = new ServerProcess(program, argumentsOf(directory.path, port));
  const uriOf = (database: string): string =>
    `mongodb://127.0.0.1:${port}/${database}?directConnection=true`;
  const answers = (): Promise<void> => answersAt(uriOf('admin'));
  await answers();
  if (kind === 'mongod') await initiate(uriOf('admin'), port);
  return {
    kind,
    process,
    answers,
    freshUri: () => uriOf(freshDatabase()),
    async stop() {
      await process.kill();
      directory.remove();
    },
  };
}

/** Makes a replica set of a new server, and waits until it is the primary. */
async function initiate(uri: string, port: number): Promise<void> {
  const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
  const client = new MongoClient(uri);
  try {
    const admin = client.db('admin');
    await admin.command({ replSetInitiate: { _id: 'rs0', members } });
    const leads = async (): Promise<boolean> =>
      (await admin.command({ hello: 1 })).isWritablePrimary === true;
    await eventually('the member is the primary', leads, ANSWERS_WITHIN_MS);
  } finally {
    await client.close();
  }
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
