import { BACKWARDS, END, EventStoreDBClient } from '@eventstore/db-client';
import type { EventStoreDbServer } from './eventstoredb-server.js';
import type { SimulatorOptions } from './eventstoredb-simulator/options.js';
import { SimulatorProcess } from './eventstoredb-simulator/simulator-process.js';

const REACHABLE_WITHIN_MS = 10_000;

/**
 * Gives the server that `TEST_EVENTSTOREDB` names, or starts a simulator.
 * @param options options of the simulator.
 * @throws when the named server cannot be read.
 */
export async function startEventStoreDb(
  options: SimulatorOptions = {},
  reachableWithinMs = REACHABLE_WITHIN_MS,
): Promise<EventStoreDbServer> {
  const given = process.env.TEST_EVENTSTOREDB;
  if (given === undefined) return SimulatorProcess.start(options);
  await requireReachable(given, reachableWithinMs);
  return new GivenServer(given);
}

/** A given server. Tests read and write it, and otherwise leave it alone. */
class GivenServer implements EventStoreDbServer {
  readonly isSimulator = false;
  readonly kill = noSimulator;
  readonly restart = noSimulator;
  readonly wipe = noSimulator;
  readonly freeze = noSimulator;
  readonly thaw = noSimulator;
  readonly inject = noSimulator;
  readonly heal = noSimulator;

  constructor(readonly connectionString: string) {}

  async stop(): Promise<void> {
    // The server was there before, and stays.
  }
}

function noSimulator(): never {
  throw new Error('a test that does this to the server belongs into itOnSimulator');
}

async function requireReachable(connectionString: string, withinMs: number): Promise<void> {
  const client = EventStoreDBClient.connectionString(connectionString);
  const newest = client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 });
  const late = AbortSignal.timeout(withinMs);
  late.addEventListener('abort', () => void newest.cancel());
  try {
    for await (const _event of newest);
    if (late.aborted) throw new Error('no answer in time');
  } catch (cause) {
    throw new Error('the server of TEST_EVENTSTOREDB cannot be read from', { cause });
  } finally {
    await client.dispose();
  }
}
