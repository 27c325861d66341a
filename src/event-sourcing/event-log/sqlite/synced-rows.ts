import type Database from 'better-sqlite3';
import { WakeUp } from '../../waiting/wake-up.js';
import type { ConnectionRole, SyncedRow } from '../connection-roles.js';
import { WriteAheadFile } from './write-ahead-file.js';

/**
 * The rows of a log that are on the disk. Nobody sees another row: a power cut would remove it from
 * the log, although somebody has seen it.
 *
 * | a row                                | is seen by  | until                                  |
 * | ------------------------------------ | ----------- | -------------------------------------- |
 * | up to `last`                         | everybody   |                                        |
 * | after it, of this connection         | nobody      | `secure` has synced it, for its append |
 * | after it, of another connection      | nobody      | `showOthers` or `sync` has synced it   |
 * | after it, for a checkpointing thread | nobody here | the appending thread has shown it      |
 *
 * A commit of a connection that is alone syncs by itself.
 */
export class SyncedRows {
  readonly #last: SyncedRow;
  readonly #growth = new WakeUp();
  readonly #file: WriteAheadFile | undefined;
  /** The rows after `last` up to this one are of this connection. */
  #own = 0;
  #isClosed = false;

  /** @param head the last row of the log. The rows up to it are on the disk afterwards. */
  constructor(
    { name, memory }: Database.Database,
    head: number,
    private readonly role: ConnectionRole,
    private readonly onUnsettled: (fault: unknown) => void,
  ) {
    this.#last = role.as === 'alone' ? new BigInt64Array(1) : role.synced;
    this.#file = memory ? undefined : new WriteAheadFile(name);
    if (role.as === 'checkpointer') void this.#noticeShown();
    else this.#show(head);
  }

  /** The number of the last row on the disk. */
  get last(): number {
    return Number(Atomics.load(this.#last, 0));
  }

  /** Resolves when `last` has grown, or when the signal aborts. */
  waitForGrowth(signal: AbortSignal): Promise<void> {
    return this.#growth.wait(signal);
  }

  /** Answers for a commit of this connection. Its rows are on the disk when this resolves. */
  async secure(first: number, last: number): Promise<void> {
    if (first === this.#own + 1) this.#own = last;
    if (this.role.as === 'appender') await this.sync(last);
    else this.#show(last);
  }

  /** Shows what another connection has appended, up to the last row of the log. */
  async showOthers(head: number): Promise<void> {
    if (head > this.#own) await this.sync(head);
  }

  /** Waits until the rows up to one are on the disk, and shows them. */
  async sync(row: number): Promise<void> {
    if (row <= this.last) return;
    try {
      await this.#file?.sync();
    } catch (fault) {
      throw this.reportUnsettled(fault);
    }
    this.#show(row);
  }

  /** Says that the disk has failed. @returns the error for those who wait for it. */
  reportUnsettled(cause: unknown): Error {
    this.onUnsettled(cause);
    return new Error('the disk failed, and it is unknown whether events are stored', { cause });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Ends the wait of `#noticeShown`.
    Atomics.notify(this.#last, 0);
    await this.#file?.close();
  }

  #show(row: number): void {
    this.#own = Math.max(this.#own, row);
    if (row <= this.last) return;
    Atomics.store(this.#last, 0, BigInt(row));
    Atomics.notify(this.#last, 0);
    this.#growth.wakeAll();
  }

  /** Notices what the other thread shows, until this log is closed. */
  async #noticeShown(): Promise<void> {
    let noticed = this.last;
    while (!this.#isClosed) {
      const shown = Atomics.waitAsync(this.#last, 0, BigInt(noticed));
      if (shown.async) await shown.value;
      noticed = this.last;
      this.#growth.wakeAll();
    }
  }
}
