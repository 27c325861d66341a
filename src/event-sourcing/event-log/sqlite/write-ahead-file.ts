import { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync } from 'node:fs';

/** The write-ahead log of a database that is open. Its file is there as long as a connection is. */
export class WriteAheadFile {
  readonly #file: number;
  #running: Promise<unknown> = Promise.resolve();

  /**
   * Puts on the disk what a process that was killed has left in the file. SQLite syncs the directory of the file when it
   * makes it.
   */
  constructor(database: string) {
    // To read, as a service that may not write its log still answers reads.
    this.#file = openSync(`${database}-wal`, 'r');
    fdatasyncSync(this.#file);
  }

  /**
   * Waits beside the event loop until everything that was committed before the call is on the disk.
   * @throws when that fails, and when somebody has removed the file: its commits are lost when the process ends.
   */
  async sync(): Promise<void> {
    if (fstatSync(this.#file).nlink === 0)
      throw new Error('the write-ahead log was removed in use');
    const synced = new Promise<void>((resolve, reject) => {
      fdatasync(this.#file, (fault) => (fault ? reject(fault) : resolve()));
    });
    this.#running = Promise.allSettled([this.#running, synced]);
    await synced;
  }

  async close(): Promise<void> {
    await this.#running;
    closeSync(this.#file);
  }
}
