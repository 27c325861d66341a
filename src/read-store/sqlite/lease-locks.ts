import { rmSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { openDatabase } from '../../sqlite/open-database.js';
import { isBusy } from '../../sqlite/sqlite-code.js';

/** Leases of this thread, as locks of the operating system: each ends with its process, however that ends. */
export class LeaseLocks {
  readonly #connections = new Map<string, Database.Database>();
  readonly #held = new Map<string, string>();

  /** @param fileOf gives the path of the file of a lease; it is made when it does not exist. */
  constructor(private readonly fileOf: (lease: string) => string) {}

  /** Whether a holder has the lease now. */
  take(lease: string, holder: string): boolean {
    const held = this.#held.get(lease);
    if (held !== undefined) return held === holder;
    const isHeld = this.#lock(lease);
    if (isHeld) this.#held.set(lease, holder);
    return isHeld;
  }

  release(lease: string, holder: string): void {
    if (this.#held.get(lease) !== holder) return;
    this.#forget(lease);
    const file = this.fileOf(lease);
    if (file !== ':memory:') rmSync(file, { force: true });
  }

  close(): void {
    for (const lease of this.#connections.keys()) this.#forget(lease);
  }

  #lock(lease: string): boolean {
    const isOpen = this.#connections.has(lease);
    try {
      this.#connection(lease).exec('BEGIN EXCLUSIVE');
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      this.#forget(lease);
      // The last holder removed the file of a connection that was open.
      if (isOpen) return this.#lock(lease);
      throw error;
    }
  }

  /** Closes the connection, too: the file may be removed before it is asked for again. */
  #forget(lease: string): void {
    this.#held.delete(lease);
    this.#connections.get(lease)?.close();
    this.#connections.delete(lease);
  }

  #connection(lease: string): Database.Database {
    let db = this.#connections.get(lease);
    if (!db) {
      db = openDatabase(this.fileOf(lease), { timeout: 0 });
      this.#connections.set(lease, db);
    }
    return db;
  }
}
