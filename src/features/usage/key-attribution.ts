import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { FairSemaphore } from '../../event-sourcing/waiting/fair-semaphore.js';
import { isOutOfReach, Unavailable } from '../../kernel/errors.js';
import { inTime } from '../../event-sourcing/waiting/in-time.js';
import { isKey } from '../keys/domain/key.js';
import { KeyFacts } from '../keys/published/key-facts.js';
import {
  KEYS_IN_DIRECTORY,
  KEYS_IN_MEMORY,
  type WorkspacesOfKeys,
} from '../keys/published/workspaces-of-keys.port.js';

/** The most concurrent reads of the streams of keys, for all reports of this process. */
const STREAMS_AT_ONCE = 4;
/** How long memory and directory may take, because they only save reads of streams. */
const SHORT_CUT_MS = 500;

@Injectable()
export class KeyAttribution {
  readonly #streams = new FairSemaphore(STREAMS_AT_ONCE);

  constructor(
    @Inject(KEYS_IN_MEMORY) private readonly memory: WorkspacesOfKeys,
    @Inject(KEYS_IN_DIRECTORY) private readonly directory: WorkspacesOfKeys,
    private readonly keyFacts: KeyFacts,
  ) {}

  /**
   * Returns the workspace of each hash that is a key of the account, and nothing for unknown,
   * deleted and foreign keys. Asks the cheapest source first, none twice for a hash. Only streams
   * decide: memory and directory save looks into them, and one that is out of reach is left out.
   */
  async workspacesOf(
    accountId: string,
    hashes: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const named = [...new Set(hashes)];
    const unknown = (): string[] => named.filter((hash) => !found.has(hash));
    for (const source of [this.memory, this.directory]) {
      const asked = unknown();
      if (asked.length === 0) return found;
      const known = await foundOrNone(source.workspacesOf(accountId, asked));
      for (const [hash, id] of known) found.set(hash, id);
    }
    const looks = unknown().map((hash) =>
      this.#streams.run(accountId, async () => {
        const id = await this.#workspaceInLog(accountId, hash);
        if (id !== null) found.set(hash, id);
      }),
    );
    await Promise.all(looks);
    return found;
  }

  async #workspaceInLog(accountId: string, hash: string): Promise<string | null> {
    // The embedded log answers at once: a thousand answers in a turn would hold up all requests.
    await nextTurn();
    const key = await this.keyFacts.key(hash);
    return isKey(key) && key.account_id === accountId ? key.workspace_id : null;
  }
}

/** Returns what a source knows; nothing when it does not answer in time, or cannot answer. */
async function foundOrNone(known: ReturnType<WorkspacesOfKeys['workspacesOf']>): typeof known {
  try {
    return await inTime(
      known,
      SHORT_CUT_MS,
      () => new Unavailable('read store', 'it does not answer in time'),
    );
  } catch (error) {
    if (isOutOfReach(error)) return new Map();
    throw error;
  }
}
