import type { Collection } from 'mongodb';
import { isDuplicateKey } from '../../read-store/mongodb/server-errors.js';
import type { SharedDatabase } from '../../read-store/open-read-store.js';
import type { FixedWindow, FixedWindows, WindowLimit, WindowUse } from '../fixed-windows.js';

/** The greatest difference of two processes' clocks. A window that is over here may last so much longer elsewhere. */
const CLOCKS_DIFFER_MS = 60_000;
const SWEEP_EVERY_MS = 60_000;

interface StoredWindow extends FixedWindow {
  readonly _id: string;
}

/** Windows that all processes on the database share. Each id has one document. */
export class MongoDbFixedWindows implements FixedWindows {
  readonly #windows: Collection<StoredWindow>;
  readonly #call: SharedDatabase['call'];
  readonly #sweeping: NodeJS.Timeout;
  #indexed = false;

  /** Begins to call `sweep` once a minute, until `close`. */
  constructor({ db, call }: SharedDatabase) {
    this.#call = call;
    // A count that is lost with a primary lets a few more uses through. Waiting for a majority would slow every use.
    const options = { writeConcern: { w: 1 }, readConcern: { level: 'local' as const } };
    this.#windows = db.collection('rate_limit_windows', options);
    const sweep = (): void => void this.sweep(new Date()).catch(() => undefined);
    this.#sweeping = setInterval(sweep, SWEEP_EVERY_MS).unref();
  }

  use(id: string, limit: WindowLimit, now: Date): Promise<WindowUse> {
    const endsAt = new Date(now.getTime() + limit.seconds * 1_000);
    // A window that ends later began before clocks were set back.
    const last = new Date(endsAt.getTime() + CLOCKS_DIFFER_MS);
    return this.#call(async () => {
      for (;;) {
        const used = await this.#useOrBegin(id, limit, { after: now, last, endsAt });
        if (used) return { granted: true, window: used };
        const found = await this.#windows.findOne({ _id: id });
        if (!found) continue;
        if (found.endsAt > now && found.endsAt <= last) {
          if (found.used >= limit.count) return { granted: false, window: found };
          continue;
        }
        const next = await this.#windows.findOneAndUpdate(
          { _id: id, endsAt: found.endsAt },
          { $set: { used: 1, endsAt } },
          { returnDocument: 'after' },
        );
        if (next) return { granted: true, window: next };
      }
    });
  }

  giveBack(id: string, { endsAt }: FixedWindow): Promise<FixedWindow | undefined> {
    return this.#call(async () => {
      const given = await this.#windows.findOneAndUpdate(
        { _id: id, endsAt, used: { $gt: 0 } },
        { $inc: { used: -1 } },
        { returnDocument: 'after' },
      );
      return given ?? undefined;
    });
  }

  /** Deletes windows that are over by the clocks of all processes. */
  sweep(now: Date): Promise<void> {
    return this.#call(async () => {
      if (!this.#indexed) await this.#windows.createIndex({ endsAt: 1 });
      this.#indexed = true;
      const over = new Date(now.getTime() - CLOCKS_DIFFER_MS);
      await this.#windows.deleteMany({ endsAt: { $lte: over } });
    });
  }

  close(): void {
    clearInterval(this.#sweeping);
  }

  /** Counts a use or begins a window, in one atomic step. @returns null if a window is used up, over or past `last`. */
  async #useOrBegin(
    id: string,
    { count }: WindowLimit,
    { after, last, endsAt }: Readonly<Record<'after' | 'last' | 'endsAt', Date>>,
  ): Promise<StoredWindow | null> {
    try {
      return await this.#windows.findOneAndUpdate(
        { _id: id, endsAt: { $gt: after, $lte: last }, used: { $lt: count } },
        { $inc: { used: 1 }, $setOnInsert: { endsAt } },
        { upsert: true, returnDocument: 'after' },
      );
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }
}
