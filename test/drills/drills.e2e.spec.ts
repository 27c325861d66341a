import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Cluster } from './cluster.js';
import { ClusterLoad } from './cluster-load.js';
import { wrongWith } from './cluster-state.js';
import { type Drill, drills } from './drills.js';
import type { Replica } from './replica.js';

const ROUNDS = Number(process.env.DRILL_ROUNDS ?? 1);
const LOAD_BEFORE_MS = 2_000;
const LOAD_AFTER_MS = 2_000;
const DRILL_TIMEOUT_MS = 240_000;
const READS_AFTER_WRITES = 1_000;
const READING_AT_ONCE = 4;
/** What a process may have more of after a round than at its start. */
const MORE_MEMORY = 80 * 1024 * 1024;
const MORE_HANDLES = 40;

describe.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))('round %i', (round) => {
  let cluster: Cluster;
  let load: ClusterLoad;

  beforeAll(async () => {
    cluster = await Cluster.start();
    load = new ClusterLoad(cluster.replicas);
  }, DRILL_TIMEOUT_MS);

  afterAll(async () => {
    await cluster.stop();
  }, DRILL_TIMEOUT_MS);

  async function carryOut(drill: Drill): Promise<string> {
    const { answered, unavailable, refused } = load;
    load.start();
    let broken: number;
    let healed: number;
    try {
      await delay(LOAD_BEFORE_MS);
      await drill.run(cluster, round);
      broken = performance.now();
      await cluster.ready();
      healed = performance.now();
      await delay(LOAD_AFTER_MS);
    } finally {
      await load.pause();
    }
    return [
      `${load.answered - answered} answered`,
      `${load.unavailable - unavailable} times 503`,
      `${load.refused - refused} refused connections`,
      `slowest ${Math.round(load.slowestMs)} ms`,
      `all ready ${Math.round(healed - broken)} ms after it was put right`,
    ].join(', ');
  }

  it.each(drills)(
    'survives $name',
    async (drill) => {
      const told = await carryOut(drill).catch((error: unknown) => {
        tell(round, drill.name, `BROKEN OFF: ${String(error)}`);
        throw error;
      });
      const wrong = await wrongWith(cluster, load);
      const faults = [...load.takeFaults(), ...wrong];
      tell(round, drill.name, [told, ...faults].join('\n  '));
      expect(faults).toEqual([]);
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'shows a write at once on every other replica',
    async () => {
      const stale: string[] = [];
      const writeAndRead = async (count: number): Promise<void> => {
        const user = `read-at-once-${count}`;
        const { client: writing } = cluster.replica(count);
        const { client: reading } = cluster.replica(count + 1);
        expect((await writing.post('/v1/end-users', { user })).status).toBe(201);
        const { body } = await reading.get<{ total_count: number }>(`/v1/end-users?user=${user}`);
        if (body.total_count !== 1) stale.push(user);
      };
      let count = 0;
      const side = async (): Promise<void> => {
        while (count < READS_AFTER_WRITES) await writeAndRead(count++);
      };
      await Promise.all(Array.from({ length: READING_AT_ONCE }, side));
      tell(
        round,
        'reads after writes elsewhere',
        `${stale.length} of ${READS_AFTER_WRITES} were stale`,
      );
      expect(stale).toEqual([]);
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'leaves memory and handles where they were',
    async () => {
      const replica = cluster.replica(round);
      const before = await footprint(replica);
      await carryOut({
        name: 'servers restarted',
        async run({ eventLog, readStore }) {
          for (let times = 0; times < 3; times++) {
            await Promise.all([eventLog.kill(), readStore.kill()]);
            await Promise.all([eventLog.restart(), readStore.restart()]);
            await cluster.ready();
          }
        },
      });
      const after = await footprint(replica);
      tell(round, 'memory and handles', `${JSON.stringify(before)} to ${JSON.stringify(after)}`);
      expect(after.memory).toBeLessThan(before.memory + MORE_MEMORY);
      expect(after.handles).toBeLessThan(before.handles + MORE_HANDLES);
      expect(load.takeFaults()).toEqual([]);
    },
    DRILL_TIMEOUT_MS,
  );
});

async function footprint(replica: Replica): Promise<{ memory: number; handles: number }> {
  const seen = await replica.metrics();
  return {
    memory: seen.value('process_resident_memory_bytes') ?? 0,
    handles: seen.value('process_open_fds') ?? 0,
  };
}

function tell(round: number, what: string, found: string): void {
  process.stderr.write(`round ${round}, ${what}: ${found}\n`);
}
