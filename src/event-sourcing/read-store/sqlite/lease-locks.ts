import { rmSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { openDatabase } from '../../sqlite/open-database.js';
import { isBusy } from '../../sqlite/sqlite-code.js';

/** Leases of this thread, as locks of the operating system. A lock ends with its process, however the process ends. */
export class LeaseLocks {
  readonly #connections = new Map<string, Database.Database>();
  readonly #held = new Map<string, string>();

  /** @param fileOf returns the path of the file of a lease. The file is created when it does not exist. */
  constructor(private readonly fileOf: (lease: string) => string) {}

  /** Takes a lease if it is free. @returns whether the holder has the lease now. */
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
      // The last holder removed the file while the connection was open, so the file is opened again.
      if (isOpen) return this.#lock(lease);
      throw error;
    }
  }

  /** Forgets a lease and closes its connection, because the file may be removed before the lease is asked for again. */
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
