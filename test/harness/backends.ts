import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDirectory } from './temp-directory.js';

/** What the suites run on: `TEST_EVENT_LOG` and `TEST_READ_STORE` choose it, in any combination. */
export const CHOSEN = {
  eventLog: chosen('TEST_EVENT_LOG', ['sqlite', 'eventstoredb']),
  readStore: chosen('TEST_READ_STORE', ['sqlite', 'mongodb']),
} as const;

export type Choice = typeof CHOSEN;

/** An event log and a read store of its own for a service and for the command line beside it. */
export interface Backends {
  /** As environment variables. */
  readonly settings: Readonly<Record<string, string>>;
  readonly dataDir: string;
  /** Leaves the read store as empty as it was; nothing may use it meanwhile. */
  deleteReadModels(): Promise<void>;
  dispose(): Promise<void>;
}

/** Backends of the chosen kinds in which nothing was ever stored. */
export async function freshBackends(): Promise<Backends> {
  if (CHOSEN.eventLog !== 'sqlite' || CHOSEN.readStore !== 'sqlite') {
    throw new Error(`no suite can run on ${CHOSEN.eventLog} with ${CHOSEN.readStore} yet`);
  }
  const directory = makeTempDirectory();
  return {
    settings: { DATA_DIR: directory.path },
    dataDir: directory.path,
    async deleteReadModels() {
      rmSync(join(directory.path, 'read-models'), { recursive: true });
    },
    async dispose() {
      directory.remove();
    },
  };
}

function chosen<Kind extends string>(variable: string, kinds: readonly [Kind, ...Kind[]]): Kind {
  const wanted = process.env[variable];
  if (wanted === undefined || wanted === '') return kinds[0];
  const kind = kinds.find((known) => known === wanted);
  if (kind === undefined) throw new Error(`${variable} takes ${kinds.join(' or ')}, not ${wanted}`);
  return kind;
}
