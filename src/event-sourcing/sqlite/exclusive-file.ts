import type Database from 'better-sqlite3';
import { openDatabase } from './open-database.js';
import { isBusy } from './sqlite-code.js';

/**
 * A file that one taker at a time has, by a lock of the operating system that SQLite takes on it.
 * The lock ends with its process, however the process ends.
 */
export class ExclusiveFile {
  #connection: Database.Database | undefined;

  /** @param path the file, created when it is taken. Each `:memory:` is a file of its own. */
  constructor(private readonly path: string) {}

  /**
   * Takes the file, which this object must not have yet.
   * @returns false when another one has it.
   */
  take(): boolean {
    try {
      this.#connection ??= openDatabase(this.path, { timeout: 0 });
      // A journal on the disk would be a second file.
      this.#connection.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return true;
    } catch (error) {
      // The connection stays for the next attempt, because the driver never frees its object.
      if (isBusy(error)) return false;
      this.release();
      throw error;
    }
  }

  release(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}
