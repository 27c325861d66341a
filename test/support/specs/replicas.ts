import { join } from 'node:path';
import { EventRegistry } from '../../../src/event-sourcing/event-log/event-registry.js';
import type { EventLog } from '../../../src/event-sourcing/event-log/event-log.js';
import { SqliteEventLog } from '../../../src/event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { ReadModel } from '../../../src/event-sourcing/projections/read-model.js';
import type { ReadModels } from '../../../src/event-sourcing/projections/read-models.js';
import { type ReadSide, readSideOf } from '../../../src/event-sourcing/projections/read-side.js';
import type { ReadSideNotice } from '../../../src/event-sourcing/projections/read-side-notices.js';
import type { ReadStore } from '../../../src/event-sourcing/read-store/read-store.js';
import { SqliteReadStore } from '../../../src/event-sourcing/read-store/sqlite/sqlite-read-store.js';
import { event } from '../../contracts/opened-log.js';
import { makeTempDirectory } from '../harness/temp-directory.js';
import { metadataAt } from './metadata-at.js';
import { readModelsHere } from './read-models-here.js';
import { tallied, tallies } from './tally.js';

/** The read side of tests, which has one projection. */
export const TALLIES = readSideOf('tallies', [tallies]);

/** A process that shares the log and the read store with others. */
export interface Replica {
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly models: ReadModels;
  readonly news: readonly ReadSideNotice[];
  /** Gives the sum of all tallies in its read model, once that has the whole log. */
  total(): Promise<number>;
  stop(): Promise<void>;
}

interface ReplicaOptions {
  readonly readSide?: ReadSide;
  readonly registry?: EventRegistry;
  /** Replaces parts of its log. */
  readonly log?: (log: EventLog) => EventLog;
}

const WITHIN_MS = 8_000;

/** A log and a directory of read models, with processes that use both. */
export class Replicas {
  readonly directory = makeTempDirectory();
  readonly log = new SqliteEventLog(join(this.directory.path, 'events.db'));
  readonly #running: Replica[] = [];
  #streams = 0;

  get readModels(): string {
    return join(this.directory.path, 'read-models');
  }

  /** Appends a tally to a stream of its own, or an invalid tally. @returns the id of the event. */
  async tally(name: string, amount: unknown = 1, account?: string): Promise<string> {
    const tally = { ...event({ name, amount }, 'Tallied'), metadata: metadataAt(0, account) };
    this.#streams += 1;
    await this.log.append(`tally-${this.#streams}`, [tally], 'no-stream');
    return tally.id;
  }

  /** Makes a replica without starting it. */
  replica(options: ReplicaOptions = {}): Replica {
    const { readSide = TALLIES, registry = new EventRegistry([tallied]) } = options;
    const own = new SqliteEventLog(join(this.directory.path, 'events.db'));
    const log = options.log?.(own) ?? own;
    const store = new SqliteReadStore(this.readModels);
    const news: ReadSideNotice[] = [];
    const notify = (one: ReadSideNotice): unknown => news.push(one);
    const here = readModelsHere(readSide, { log, registry, store }, { notify, timeoutMs: 1_000 });
    const replica: Replica = {
      log,
      store,
      models: here,
      news,
      total: () => totalOf(here, this.log),
      stop: async () => {
        if (!this.#running.includes(replica)) return;
        this.#running.splice(this.#running.indexOf(replica), 1);
        await here.stop();
        await store.close();
        await own.close();
      },
    };
    this.#running.push(replica);
    return replica;
  }

  /** Starts a replica. */
  start(options?: ReplicaOptions): Replica {
    const replica = this.replica(options);
    replica.models.start();
    return replica;
  }

  async dispose(): Promise<void> {
    for (const replica of [...this.#running]) await replica.stop();
    await this.log.close();
    this.directory.remove();
  }
}

async function totalOf(models: ReadModels, log: EventLog): Promise<number> {
  await models.caughtUp;
  const head = await log.head();
  if (!(await models.progress.waitFor(head, WITHIN_MS))) {
    throw new Error(`it is at ${models.progress.position}, not at ${head}`);
  }
  const model = new ReadModel(tallies, models);
  const total = await model.readNow(null, (view) => view.get('totals', 'all'));
  return total?.sum ?? 0;
}
