import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { FairSemaphore } from '../../event-sourcing/waiting/fair-semaphore.js';
import { isOutOfReach, Unavailable } from '../../kernel/errors.js';
import { inTime } from '../../event-sourcing/waiting/in-time.js';
import { isKey, keyOfLaterString } from '../keys/domain/key.js';
import { KeyFacts } from '../keys/published/key-facts.js';
import {
  KEYS_IN_DIRECTORY,
  KEYS_IN_MEMORY,
  type AttributedKey,
  type KeysByString,
} from '../keys/published/keys-by-string.port.js';

/** The most concurrent reads of the streams of keys, for all reports of this process. */
const STREAMS_AT_ONCE = 4;
/** How long memory and directory may take, because they only save reads of streams. */
const SHORT_CUT_MS = 500;

@Injectable()
export class KeyAttribution {
  readonly #streams = new FairSemaphore(STREAMS_AT_ONCE);

  constructor(
    @Inject(KEYS_IN_MEMORY) private readonly memory: KeysByString,
    @Inject(KEYS_IN_DIRECTORY) private readonly directory: KeysByString,
    private readonly keyFacts: KeyFacts,
  ) {}

  /**
   * Returns the key of each hash that is a string of a key of the account, and nothing for unknown,
   * deleted and foreign keys. Asks the cheapest source first, none twice for a hash. Only streams
   * decide: memory and directory save looks into them, and one that is out of reach is left out.
   */
  async keysOf(
    accountId: string,
    hashes: readonly string[],
  ): Promise<ReadonlyMap<string, AttributedKey>> {
    const found = new Map<string, AttributedKey>();
    const named = [...new Set(hashes)];
    const unknown = (): string[] => named.filter((hash) => !found.has(hash));
    for (const source of [this.memory, this.directory]) {
      const asked = unknown();
      if (asked.length === 0) return found;
      const known = source.keysOf(accountId, asked).then((keys) => {
        for (const [hash, key] of keys) found.set(hash, key);
      });
      await answeredOrNot(known);
    }
    const looks = unknown().map((hash) =>
      this.#streams.run(accountId, async () => {
        // A source that answers late still saves the reads that have not begun.
        if (found.has(hash)) return;
        const key = await this.#keyInLog(accountId, hash);
        if (key) found.set(hash, key);
      }),
    );
    await Promise.all(looks);
    // An answer that comes even later must not change what the caller has.
    return new Map(found);
  }

  async #keyInLog(accountId: string, hash: string): Promise<AttributedKey | null> {
    // The embedded log answers at once: a thousand answers in a turn would hold up all requests.
    await nextTurn();
    const owner = await this.keyFacts.key(hash, accountId);
    const keyHash = keyOfLaterString(owner);
    const key = keyHash === null ? owner : await this.keyFacts.key(keyHash, accountId);
    return isKey(key) && key.account_id === accountId ? key : null;
  }
}

/** Waits until a source has answered, unless it does not do so in time, or cannot. */
async function answeredOrNot(known: Promise<void>): Promise<void> {
  try {
    await inTime(
      known,
      SHORT_CUT_MS,
      () => new Unavailable('read store', 'it does not answer in time'),
    );
  } catch (error) {
    if (!isOutOfReach(error)) throw error;
  }
}
