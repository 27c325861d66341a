import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { FaultyGate } from '../../../../test/support/backends/faulty-gate.js';
import { MongoDbSimulator } from '../../../../test/support/backends/mongodb-simulator/mongodb-simulator.js';
import { describeOnMongoDb } from '../../../../test/support/backends/on-mongodb.js';
import { Random } from '../../../../test/support/specs/random-things.js';
import { RandomHistory, Violation } from '../../../../test/support/specs/random-history.js';

/** `TEST_SEED` repeats the first history of a run, though its interleaving may differ. */
const FIRST_SEED = Number(process.env.TEST_SEED ?? 1);
const FOR_MS = Number(process.env.TEST_HISTORIES_MS ?? 8_000);
/** The run goes on until it has this many histories, which takes longer on a busy machine. */
const FEWEST = 12;
const AT_ONCE = 4;
const LONGEST_MS = FOR_MS + 120_000;

/** Runs histories for a while, some at once. @returns their number and the faults. */
async function histories(uri: (nth: number) => string): Promise<{ runs: number; wrong: string[] }> {
  const until = performance.now() + FOR_MS;
  const wrong: string[] = [];
  let hasBroken = false;
  let seed = FIRST_SEED;
  const isOver = (): boolean =>
    hasBroken || wrong.length >= 5 || (performance.now() > until && seed >= FIRST_SEED + FEWEST);
  const runSome = async (_: unknown, nth: number): Promise<void> => {
    while (!isOver()) {
      const its = seed++;
      const gate = await FaultyGate.open(uri(nth));
      try {
        await new RandomHistory(its, gate).run();
      } catch (error) {
        if (!(error instanceof Violation)) {
          hasBroken = true;
          throw error;
        }
        wrong.push(`seed ${its}: ${error.message}`);
      } finally {
        gate.close();
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: AT_ONCE }, runSome));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return { runs: seed - FIRST_SEED, wrong };
}

describe('histories on a replica set that answers from older states', () => {
  const simulators: MongoDbSimulator[] = [];

  afterAll(() => {
    for (const simulator of simulators) simulator.close();
  });

  it(
    'show readers and writers nothing but folds of the log, whatever crashes, comes late or is lost',
    async () => {
      for (let nth = 0; nth < AT_ONCE; nth++) {
        const simulator = await MongoDbSimulator.open();
        simulators.push(simulator);
        const random = new Random(FIRST_SEED + nth);
        simulator.staleness = () => (random.chance(0.7) ? 0 : random.below(25));
      }
      const outcome = await histories(
        (nth) => simulators[nth]?.uri(`history-${randomUUID()}`) ?? '',
      );
      process.stderr.write(`${outcome.runs} histories on the simulator\n`);
      expect(outcome.wrong).toEqual([]);
    },
    LONGEST_MS,
  );
});

describeOnMongoDb('histories', (server) => {
  it(
    'show readers and writers nothing but folds of the log, whatever crashes, comes late or is lost',
    async () => {
      const outcome = await histories(() => server().freshUri());
      process.stderr.write(`${outcome.runs} histories on a server\n`);
      expect(outcome.wrong).toEqual([]);
    },
    LONGEST_MS,
  );
});
