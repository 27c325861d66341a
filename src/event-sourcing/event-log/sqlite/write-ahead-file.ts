import { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const syncData = promisify(fdatasync);

/** The write-ahead log of a database that is open. Its file is there as long as a connection is. */
export class WriteAheadFile {
  readonly #file: number;
  /** The sync that runs or ran last. */
  #current = Promise.resolve();
  /** The sync that begins after it, if somebody waits for one. */
  #next: Promise<void> | undefined;

  /**
   * Puts on the disk what a process that was killed has left in the file. SQLite syncs the
   * directory of the file when it makes it.
   */
  constructor(
    database: string,
    private readonly datasync = syncData,
  ) {
    // Opened for reading, because a service that may not write its log still answers reads.
    this.#file = openSync(`${database}-wal`, 'r');
    fdatasyncSync(this.#file);
  }

  /**
   * Waits beside the event loop until everything that was committed before the call is on the disk.
   * One sync runs at a time, because the system reports a failed write to one of two syncs, and the
   * other would seem to succeed. For the same reason no sync succeeds after one that failed.
   * @throws when that fails, and when the file was removed: its commits end with the process.
   */
  async sync(): Promise<void> {
    if (fstatSync(this.#file).nlink === 0) {
      throw new Error('the write-ahead log was removed in use');
    }
    this.#next ??= this.#afterCurrent();
    await this.#next;
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#next ?? this.#current]);
    closeSync(this.#file);
  }

  async #afterCurrent(): Promise<void> {
    await this.#current;
    this.#next = undefined;
    this.#current = this.datasync(this.#file);
    await this.#current;
  }
}
