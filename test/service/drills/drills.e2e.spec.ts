import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Cluster } from './cluster.js';
import { ClusterLoad } from './cluster-load.js';
import { verifyFaults, wrongWith } from './cluster-state.js';
import { staleReads } from './stale-reads.js';
import { type Drill, drills } from './drills.js';
import { Footprints } from './footprints.js';

const ROUNDS = Number(process.env.DRILL_ROUNDS ?? 1);
const LOAD_BEFORE_MS = 2_000;
const LOAD_AFTER_MS = 2_000;
const DRILL_TIMEOUT_MS = 240_000;
const READS_AFTER_WRITES = 1_000;

describe.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))('round %i', (round) => {
  let cluster: Cluster;
  let load: ClusterLoad;
  const footprints = new Footprints();

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

  function complaints(): string[] {
    return cluster.replicas.flatMap((replica) => replica.complaints);
  }

  it.each(drills)(
    'survives $name',
    async (drill) => {
      const faults: string[] = [];
      try {
        const told = await carryOut(drill);
        faults.push(...load.takeFaults(), ...(await wrongWith(cluster, load)));
        const kept = await footprints.compare(cluster.replicas);
        faults.push(...kept.faults);
        const why = faults.length > 0 ? complaints() : [];
        tell(round, drill.name, [`${told}, ${kept.told}`, ...faults, ...why].join('\n  '));
      } catch (error) {
        const found = [`BROKEN OFF: ${String(error)}`, ...faults, ...complaints()];
        tell(round, drill.name, found.join('\n  '));
        throw error;
      }
      expect(faults).toEqual([]);
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'shows a write at once on every other replica',
    async () => {
      const stale = await staleReads(cluster, load, READS_AFTER_WRITES);
      const count = `${stale.length} of ${READS_AFTER_WRITES} were stale`;
      const why = stale.length > 0 ? complaints() : [];
      tell(round, 'reads after writes elsewhere', [count, ...stale, ...why].join('\n  '));
      expect(stale).toEqual([]);
      expect(await wrongWith(cluster, load)).toEqual([]);
      expect(await verifyFaults(cluster)).toEqual([]);
    },
    DRILL_TIMEOUT_MS,
  );
});

function tell(round: number, what: string, found: string): void {
  process.stderr.write(`round ${round}, ${what}: ${found}\n`);
}
