import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { SimulatorCluster } from '../../support/backends/eventstoredb-simulator/simulator-cluster.js';
import { itOnSimulator } from '../../support/backends/it-on-simulator.js';
import { event, freshStream } from '../../contracts/opened-log.js';
import { eventually } from '../../support/harness/eventually.js';
import { Unavailable } from '../../../src/kernel/errors.js';
import { START } from '../../../src/kernel/position.js';
import type { StoredEvent } from '../../../src/event-sourcing/event-log/event-log.js';
import { EventStoreDbEventLog } from '../../../src/event-sourcing/event-log/eventstoredb/eventstoredb-event-log.js';

const WRITERS = 16;
/**
 * The time of an election in a real cluster. With attempts of 3 s, the attempt after the next one
 * would come too late.
 */
const ELECTION_MS = 6_500;
const BACK_WITHIN_MS = 2_000;

describe('a leader that is frozen and not dead', () => {
  let cluster: SimulatorCluster;
  let log: EventStoreDbEventLog;
  let stopped: boolean;

  beforeEach(async () => {
    stopped = false;
    cluster = await SimulatorCluster.start();
    log = new EventStoreDbEventLog(cluster.connectionString);
  });

  afterEach(async () => {
    // The writers of a failed test would otherwise go on for ever on a closed log.
    stopped = true;
    await log.close();
    await cluster.stop();
  });

  /**
   * Appends until the outcome is known, like a caller that checks before a repetition.
   * @returns false when the test is over.
   */
  async function appended(stream: string, one: StoredEvent, revision: number): Promise<boolean> {
    while (!stopped) {
      try {
        await log.append(stream, [one], revision < 0 ? 'no-stream' : revision);
        return true;
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
      }
    }
    return false;
  }

  itOnSimulator(
    'is left for the one that is elected within 2 s, by writes and by followers, and nothing is lost or doubled',
    async () => {
      let acknowledgements: number[] = [];
      const write = async (): Promise<{ stream: string; acknowledged: string[] }> => {
        const stream = freshStream();
        const acknowledged: string[] = [];
        while (!stopped) {
          const one = event();
          if (!(await appended(stream, one, acknowledged.length - 1))) break;
          acknowledged.push(one.id);
          acknowledgements.push(performance.now());
        }
        return { stream, acknowledged };
      };
      const followed: string[] = [];
      const abort = new AbortController();
      const follower = (async () => {
        for await (const { events } of log.follow(START, abort.signal))
          followed.push(...events.map(({ id }) => id));
      })();
      const writers = Promise.all(Array.from({ length: WRITERS }, write));
      await eventually('all write', () => acknowledgements.length > 4 * WRITERS);

      const deposed = cluster.freezeLeader();
      await cluster.elect(ELECTION_MS);
      const elected = performance.now();
      acknowledgements = [];
      const back = await eventually('there are writes again', () => acknowledgements[0]);
      expect(back - elected).toBeLessThan(BACK_WITHIN_MS);
      const before = followed.length;
      await eventually('what is written is followed again', () => followed.length > before);
      expect(performance.now() - elected).toBeLessThan(2 * BACK_WITHIN_MS);

      deposed.thaw();
      await eventually('the one that was deposed has ended', () => deposed.isGone);
      stopped = true;
      const written = await writers;
      for (const { stream, acknowledged } of written) {
        expect((await log.readStream(stream)).events.map(({ id }) => id)).toEqual(acknowledged);
      }
      const all = written.flatMap(({ acknowledged }) => acknowledged);
      await eventually('everything was followed', () => followed.length >= all.length);
      expect(followed.toSorted()).toEqual(all.toSorted());
      abort.abort();
      await follower;
    },
    60_000,
  );
});
