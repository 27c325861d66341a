import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { FairSemaphore } from '../../event-sourcing/waiting/fair-semaphore.js';
import { KeyedQueue } from '../../event-sourcing/waiting/keyed-queue.js';
import { isOutOfReach, Refusal, Unavailable } from '../../kernel/errors.js';
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
  /** The looks of one report of an account at a time: those of many would fill the memory. */
  readonly #reports = new KeyedQueue();
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
   * @throws Refusal once the caller has left. Otherwise the looks of reports that nobody waits for
   * would pile up while reports come in faster than streams are read.
   */
  async keysOf(
    accountId: string,
    hashes: readonly string[],
    hasLeft: () => boolean = () => false,
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
    if (unknown().length > 0) {
      await this.#reports.run(accountId, () => this.#lookUp(accountId, unknown(), found, hasLeft));
    }
    // An answer that comes even later must not change what the caller has.
    return new Map(found);
  }

  /** Looks up hashes in their streams, and adds the keys of the account to those found. */
  async #lookUp(
    accountId: string,
    hashes: readonly string[],
    found: Map<string, AttributedKey>,
    hasLeft: () => boolean,
  ): Promise<void> {
    const left = hashes.values();
    const lookUpEach = async (): Promise<void> => {
      for (const hash of left) {
        if (hasLeft()) throw new Refusal('usage-behind');
        // A source that answers late still saves the reads that have not begun.
        if (found.has(hash)) continue;
        const key = await this.#streams.run(accountId, () => this.#keyInLog(accountId, hash));
        if (key) found.set(hash, key);
      }
    };
    await Promise.all(Array.from({ length: STREAMS_AT_ONCE }, lookUpEach));
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
