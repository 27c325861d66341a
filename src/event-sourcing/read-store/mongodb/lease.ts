import type { Collection, Db } from 'mongodb';
import type { Lease } from '../read-store.js';
import type { Call } from './connection.js';
import { isDuplicateKey } from './server-errors.js';

interface LeaseRecord {
  readonly _id: string;
  /** Null when the holder gave the lease up. */
  readonly holder: string | null;
  /** The progress that the holder reported last. */
  readonly progress: string;
}

const HELD: Lease = { isHeld: true };
const NOT_HELD: Lease = { isHeld: false };

/**
 * The leases of a database. A holder loses its lease to a process that has seen the same progress for `forMs`, by the
 * clock of that process.
 */
export class Leases {
  readonly #records: Collection<LeaseRecord>;
  /** The holder that last got each lease through this process, by name of the lease. */
  readonly #granted = new Map<string, string>();
  readonly #seen = new Map<string, { readonly as: string; readonly sinceMs: number }>();

  constructor(
    db: Db,
    private readonly call: Call,
  ) {
    this.#records = db.collection('leases');
  }

  async ask(name: string, holder: string, progress: string, forMs: number): Promise<Lease> {
    const isHeld =
      (await this.#keep(name, holder, progress)) ||
      (await this.#take(name, holder, progress, forMs));
    if (isHeld) this.#granted.set(name, holder);
    return isHeld ? HELD : NOT_HELD;
  }

  async release(name: string, holder: string): Promise<void> {
    this.#granted.delete(name);
    await this.#change({ _id: name, holder }, { holder: null });
  }

  /** Prolongs a lease. It sends no query unless the holder got the lease through this process. */
  async #keep(name: string, holder: string, progress: string): Promise<boolean> {
    if (this.#granted.get(name) !== holder) return false;
    this.#granted.delete(name);
    return this.#change({ _id: name, holder }, { progress });
  }

  async #take(name: string, holder: string, progress: string, forMs: number): Promise<boolean> {
    const found = await this.call(() => this.#records.findOne({ _id: name }));
    if (!found) return this.#begin({ _id: name, holder, progress });
    const isFree = found.holder === null || found.holder === holder;
    if (!isFree && this.#unchangedMs(found) < forMs) return false;
    return this.#change(found, { holder, progress });
  }

  #begin(record: LeaseRecord): Promise<boolean> {
    return this.call(async () => {
      try {
        await this.#records.insertOne(record);
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    });
  }

  /** @returns whether a record matched `from`. */
  async #change(from: Partial<LeaseRecord>, to: Partial<LeaseRecord>): Promise<boolean> {
    return (await this.call(() => this.#records.updateOne(from, { $set: to }))).matchedCount === 1;
  }

  /** @returns for how long this process has seen the holder with the same progress. */
  #unchangedMs({ _id, holder, progress }: LeaseRecord): number {
    const [as, now] = [JSON.stringify([holder, progress]), performance.now()];
    const before = this.#seen.get(_id);
    if (before?.as === as) return now - before.sinceMs;
    this.#seen.set(_id, { as, sinceMs: now });
    return 0;
  }
}
