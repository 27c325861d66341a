import { eventually } from '../../support/harness/eventually.js';
import type { Replica } from './replica.js';

/** The most that a process may use in addition to its use after its first drill. */
const MORE_MEMORY = 80 * 1024 * 1024;
const MORE_HANDLES = 40;
/** Unused connections are closed after a while. */
const BACK_WITHIN_MS = 20_000;

interface Footprint {
  readonly memory: number;
  readonly handles: number;
}

/**
 * The memory and handles of the processes of a cluster, from one drill to the next, while each
 * process lives.
 */
export class Footprints {
  readonly #first = new Map<number, Footprint>();

  /**
   * Waits until each replica uses no more than at first.
   * @returns the replicas that keep more, and the current use of all.
   */
  async compare(replicas: readonly Replica[]): Promise<{ faults: string[]; told: string }> {
    const faults: string[] = [];
    const told: string[] = [];
    for (const replica of replicas) {
      const first = this.#first.get(replica.pid) ?? (await footprint(replica));
      this.#first.set(replica.pid, first);
      let now = first;
      const isBack = async (): Promise<boolean> => {
        now = await footprint(replica);
        return (
          now.memory < first.memory + MORE_MEMORY && now.handles < first.handles + MORE_HANDLES
        );
      };
      await eventually('it is back', isBack, BACK_WITHIN_MS).catch(() =>
        faults.push(`${replica.name} keeps ${inWords(now)}, and had ${inWords(first)}`),
      );
      told.push(inWords(now));
    }
    return { faults, told: told.join(', ') };
  }
}

async function footprint(replica: Replica): Promise<Footprint> {
  const seen = await replica.metrics();
  return {
    memory: seen.value('process_resident_memory_bytes') ?? NaN,
    handles: seen.value('process_open_fds') ?? NaN,
  };
}

function inWords({ memory, handles }: Footprint): string {
  return `${Math.round(memory / 1024 / 1024)} MiB and ${handles} handles`;
}
