import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from './cluster.js';
import type { Replica } from './replica.js';

/** Longer than any call is repeated. */
const FREEZE_MS = 10_000;
const OUTAGE_MS = 3_000;
const CUT_MS = 3_000;
const LATE_MS = 2_000;

/** A fault under load and its repair. Resolves when everything works again. */
export interface Drill {
  readonly name: string;
  run(cluster: Cluster, round: number): Promise<void>;
}

export const drills: readonly Drill[] = [
  {
    name: 'kill -9 of a replica',
    run: (cluster, round) => killAndRestart(cluster.replica(round)),
  },
  {
    name: 'kill -9 of the replica that projects',
    run: async (cluster) => killAndRestart(await projecting(cluster)),
  },
  {
    name: 'kill -9 of the event log server',
    async run({ eventLog }) {
      await eventLog.kill();
      await delay(OUTAGE_MS);
      await eventLog.restart();
    },
  },
  {
    name: 'kill -9 of the read store server',
    async run({ readStore }) {
      await readStore.kill();
      await delay(OUTAGE_MS);
      await readStore.restart();
    },
  },
  {
    name: 'a replica frozen for 10 s',
    run: (cluster, round) => freeze(cluster.replica(round)),
  },
  {
    name: 'the replica that projects frozen for 10 s',
    run: async (cluster) => freeze(await projecting(cluster)),
  },
  { name: 'the event log server frozen for 10 s', run: ({ eventLog }) => freeze(eventLog) },
  { name: 'the read store server frozen for 10 s', run: ({ readStore }) => freeze(readStore) },
  {
    name: 'the connections to both servers cut, one after the other',
    async run({ toEventLog, toReadStore }) {
      for (const proxy of [toEventLog, toReadStore]) {
        proxy.cut();
        await delay(CUT_MS);
        proxy.mend();
      }
    },
  },
  {
    name: 'the loss of all read models, with an empty database in their place',
    run: (cluster) => cluster.loseReadModels(),
  },
  {
    name: 'both servers killed at once, three times',
    async run(cluster) {
      const { eventLog, readStore } = cluster;
      for (let times = 0; times < 3; times++) {
        await Promise.all([eventLog.kill(), readStore.kill()]);
        await Promise.all([eventLog.restart(), readStore.restart()]);
        await cluster.ready();
      }
    },
  },
  {
    name: 'replicas that start long before their servers',
    async run({ replicas, eventLog, readStore }) {
      await Promise.all(replicas.map((replica) => replica.kill()));
      await Promise.all([eventLog.kill(), readStore.kill()]);
      for (const replica of replicas) replica.launch();
      await Promise.all(replicas.map((replica) => replica.listening()));
      await delay(LATE_MS);
      await readStore.restart();
      await delay(LATE_MS);
      await eventLog.restart();
    },
  },
];

async function killAndRestart(replica: Replica): Promise<void> {
  await replica.kill();
  replica.launch();
  await replica.listening();
}

async function freeze(frozen: { freeze(): void; thaw(): void }): Promise<void> {
  frozen.freeze();
  await delay(FREEZE_MS);
  frozen.thaw();
}

/** Gives the replica that folds end users. The load writes end users all the time. */
async function projecting({ replicas }: Cluster): Promise<Replica> {
  const folded = (): Promise<number[]> =>
    Promise.all(
      replicas.map(
        async (replica) =>
          (await replica.metrics()).value('keyledger_read_models_events_applied_total', {
            read_models: 'management',
          }) ?? 0,
      ),
    );
  for (;;) {
    const before = await folded();
    await delay(500);
    const after = await folded();
    const found = replicas.find((_, index) => (after[index] ?? 0) > (before[index] ?? 0));
    if (found) return found;
  }
}
