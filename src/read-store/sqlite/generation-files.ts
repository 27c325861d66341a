import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { openDatabase } from '../../sqlite/open-database.js';
import { isBusy, sqliteCode } from '../../sqlite/sqlite-code.js';
import { connect, type Use } from './connection.js';
import { opening } from './opening.js';
import type { Role } from './role.js';

/** How long a write may hold up its thread while another connection is writing: the command line's. */
const BUSY_TIMEOUT_MS = 250;
/** The same of the catalog, where another thread or process may begin or end a generation, and waits for the disk. */
const CATALOG_BUSY_TIMEOUT_MS = 5_000;
const IN_MEMORY = ':memory:';
const CATALOG = 'catalog.db';
/** A database and what SQLite keeps beside it. */
const FILE_OF_A_GENERATION = /^(\d+)\.db(-wal|-shm|-journal)?$/;

interface Probe {
  readonly db: Database.Database;
  /** Of the file that it opened: the number of a generation that was removed may be given to another. */
  readonly inode: number | undefined;
}

/** The databases of a read store in their directory: the catalog's, and one for each generation. */
export class GenerationFiles {
  /** Connections by which it is seen whether somebody has a generation for himself: opened once, as none is ever freed. */
  readonly #probes = new Map<string, Probe>();
  #catalog: number | undefined;

  /** @param directory it is made when it does not exist. `:memory:` keeps nothing. */
  constructor(
    private readonly directory: string,
    private readonly role: Role,
  ) {
    if (!this.#inMemory) opening(directory, () => mkdirSync(directory, { recursive: true }));
  }

  openCatalog(): Database.Database {
    const db = this.#connect(this.#file(CATALOG), this.role, CATALOG_BUSY_TIMEOUT_MS);
    this.#catalog = inodeOf(this.#file(CATALOG));
    // What it says must not be lost when the files it speaks of are removed.
    db.exec('PRAGMA synchronous = FULL');
    return db;
  }

  /** @throws when somebody has deleted or replaced the files, which a process that has them open does not see. */
  assertThere(): void {
    if (inodeOf(this.#file(CATALOG)) === this.#catalog) return;
    throw new Error(`${this.directory} was deleted or replaced meanwhile; restart the service`);
  }

  open(name: string, generation: number): Database.Database {
    return this.#connect(this.#fileOf(name, generation), this.role);
  }

  /** Makes a generation that is this process's alone, by a lock that ends with the process however that ends. */
  openAlone(name: string, generation: number): Database.Database {
    if (this.#inMemory) throw new Error('a store in memory has no room for a second generation');
    return this.#connect(this.#fileOf(name, generation), 'exclusive');
  }

  /** Those of the generations of a read model that a process has for itself alone. @throws when that cannot be told. */
  held(name: string, generations: readonly number[]): number[] {
    const files = new Set(generations.map((generation) => this.#fileOf(name, generation)));
    for (const file of this.#probes.keys()) {
      if (file.startsWith(this.#file(`${name}.`)) && !files.has(file)) this.#forget(file);
    }
    return generations.filter((generation) => this.#isHeld(this.#fileOf(name, generation)));
  }

  close(): void {
    for (const file of this.#probes.keys()) this.#forget(file);
  }

  /** The generations of which there are files. */
  present(name: string): number[] {
    return [...new Set(this.#all(name).map(({ generation }) => generation))];
  }

  /** Removes a generation; whoever still has it open reads on undisturbed. */
  remove(name: string, removed: number): void {
    for (const { file, generation } of this.#all(name)) {
      if (generation === removed) rmSync(this.#file(file), { force: true });
    }
  }

  #connect(file: string, use: Use, busyTimeoutMs = BUSY_TIMEOUT_MS): Database.Database {
    return opening(file, () => connect(file, busyTimeoutMs, use));
  }

  #isHeld(file: string): boolean {
    try {
      const db = this.#probe(file);
      db.exec('BEGIN IMMEDIATE');
      db.exec('ROLLBACK');
    } catch (error) {
      if (isBusy(error)) return true;
      // One that was removed meanwhile, or broke with the machine, is nobody's.
      if (isUntold(error) && existsSync(file)) throw error;
    }
    this.#forget(file);
    return false;
  }

  #probe(file: string): Database.Database {
    const inode = inodeOf(file);
    const probe = this.#probes.get(file);
    if (probe && probe.inode === inode) return probe.db;
    this.#forget(file);
    const db = openDatabase(file, { timeout: 0, fileMustExist: true });
    this.#probes.set(file, { db, inode });
    return db;
  }

  #forget(file: string): void {
    this.#probes.get(file)?.db.close();
    this.#probes.delete(file);
  }

  get #inMemory(): boolean {
    return this.directory === IN_MEMORY;
  }

  #all(name: string): { readonly file: string; readonly generation: number }[] {
    if (this.#inMemory) return [];
    return readdirSync(this.directory).flatMap((file) => {
      const rest = file.startsWith(`${name}.`) ? file.slice(name.length + 1) : '';
      const generation = FILE_OF_A_GENERATION.exec(rest)?.[1];
      return generation === undefined ? [] : [{ file, generation: Number(generation) }];
    });
  }

  #fileOf(name: string, generation: number): string {
    return this.#file(`${name}.${generation}.db`);
  }

  #file(file: string): string {
    return this.#inMemory ? IN_MEMORY : join(this.directory, file);
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

/** Whether it says nothing about the file: that there are too many open ones, or the disk cannot be read. */
function isUntold(error: unknown): boolean {
  return /^SQLITE_(?:CANTOPEN|IOERR)/.test(sqliteCode(error) ?? '');
}
