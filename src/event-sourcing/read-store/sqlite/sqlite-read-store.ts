import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { messageOf, Unavailable } from '../../../kernel/errors.js';
import { START } from '../../../kernel/position.js';
import { closeOnError, inodeOf, openDatabase } from '../../sqlite/open-database.js';
import { hasNoTable, isBusy, isRecovery } from '../../sqlite/sqlite-code.js';
import type { Collections, Lease, Namespace, NamespaceState, ReadStore } from '../read-store.js';
import { isDamage, withNamespaceFaults } from './namespace-faults.js';
import { LeaseLocks } from './lease-locks.js';
import { SqliteNamespace, STATE, type StateRow } from './sqlite-namespace.js';

const IN_MEMORY = ':memory:';
const NAMESPACE_FILE = /^([a-z0-9.-]+)\.db$/;
/** A recovery takes 0.1 s for the longest write-ahead log. */
const RECOVERED_WITHIN_MS = 5_000;
const ASK_AGAIN_MS = 5;

/** A connection that only reads a state. It is used again, because its objects are never freed. */
interface Peek {
  readonly db: Database.Database;
  readonly inode: string | undefined;
  readonly state: Database.Statement<[], StateRow>;
  readonly journal: Database.Statement<[], string>;
}

/** The read store in a directory: a database for each namespace, an empty file for each lease. */
export class SqliteReadStore implements ReadStore {
  readonly isShared = false;
  readonly #namespaces = new Map<string, SqliteNamespace>();
  readonly #peeks = new Map<string, Peek>();
  readonly #leases: LeaseLocks;
  #inode: string | undefined;

  /** @param directory created if missing. `:memory:` stores nothing on disk. @throws naming it. */
  constructor(private readonly directory: string) {
    this.#leases = new LeaseLocks((lease) => this.#file(`${lease}.lease`));
    if (this.#inMemory) return;
    try {
      mkdirSync(directory, { recursive: true });
    } catch (cause) {
      const problem = `the read models in ${directory} cannot be opened: ${messageOf(cause)}`;
      throw new Error(problem, { cause });
    }
    this.#inode = inodeOf(directory);
  }

  namespace(
    name: string,
    collections: Collections,
    { isFilled = false }: { isFilled?: boolean } = {},
  ): Namespace {
    let namespace = this.#namespaces.get(name);
    if (!namespace) {
      namespace = new SqliteNamespace(name, this.#file(`${name}.db`), collections, isFilled);
      this.#namespaces.set(name, namespace);
    }
    return namespace;
  }

  async namespaces(): Promise<NamespaceState[]> {
    const names = this.#inMemory ? [...this.#namespaces.keys()] : this.#storedNames();
    const states: NamespaceState[] = [];
    for (const name of names) states.push(await this.#stateOf(name));
    return states;
  }

  async drop(name: string): Promise<void> {
    const namespace = this.#namespaces.get(name);
    this.#namespaces.delete(name);
    await namespace?.end();
    this.#closePeek(name);
    if (this.#inMemory) return;
    for (const ending of ['', '-wal', '-shm', '-journal']) {
      withNamespaceFaults(name, () =>
        rmSync(`${this.#file(`${name}.db`)}${ending}`, { force: true }),
      );
    }
  }

  async lease(name: string, holder: string): Promise<Lease> {
    return withNamespaceFaults(name, () => ({
      isHeld: this.#leases.take(name, holder),
      progress: null,
    }));
  }

  async release(name: string, holder: string): Promise<void> {
    withNamespaceFaults(name, () => this.#leases.release(name, holder));
  }

  /** @throws when the directory was deleted or replaced, which open files do not show. */
  async ping(): Promise<void> {
    if (this.#inMemory || inodeOf(this.directory) === this.#inode) return;
    throw new Error(`${this.directory} was deleted or replaced meanwhile; restart the service`);
  }

  async close(): Promise<void> {
    this.#leases.close();
    for (const name of this.#peeks.keys()) this.#closePeek(name);
    for (const namespace of this.#namespaces.values()) await namespace.end();
  }

  #storedNames(): string[] {
    return withNamespaceFaults(this.directory, () => readdirSync(this.directory)).flatMap(
      (file) => {
        const name = NAMESPACE_FILE.exec(file)?.[1];
        return name === undefined ? [] : [name];
      },
    );
  }

  /**
   * Waits while another connection recovers what a killed process left. A namespace that serves
   * must not look like none meanwhile, because another one would be filled in its place.
   */
  async #stateOf(name: string): Promise<NamespaceState> {
    const until = performance.now() + RECOVERED_WITHIN_MS;
    for (;;) {
      const state = withNamespaceFaults(name, () => this.#peek(name));
      if (state) return state;
      if (performance.now() > until) {
        throw new Unavailable('read store', `${name} is being recovered from its write-ahead log`);
      }
      await delay(ASK_AGAIN_MS);
    }
  }

  /** Returns the state of a namespace; undefined while another connection recovers it. */
  #peek(name: string): NamespaceState | undefined {
    const nothing = { name, checkpoint: START, serves: false, isLocked: false, isTorn: false };
    try {
      const own = this.#namespaces.get(name);
      const peek = this.#inMemory || own?.isFilling === true ? undefined : this.#peekInto(name);
      const [checkpoint, serves] = (peek ? peek.state.get() : own?.state()) ?? [START, 0];
      // A namespace that is filled gets its write-ahead log when it is settled.
      const isTorn = peek !== undefined && peek.journal.get() !== 'wal';
      return { ...nothing, checkpoint, serves: serves === 1, isTorn };
    } catch (error) {
      if (isRecovery(error)) return undefined;
      if (isBusy(error)) return { ...nothing, isLocked: true };
      const isGone = !lstatSync(this.#file(`${name}.db`), { throwIfNoEntry: false });
      // A process that was killed at the beginning left a file without a table.
      if (isDamage(error) || hasNoTable(error) || isGone) return nothing;
      throw error;
    }
  }

  #peekInto(name: string): Peek {
    const file = this.#file(`${name}.db`);
    const known = this.#peeks.get(name);
    if (known?.inode === inodeOf(file) && known) return known;
    this.#closePeek(name);
    const db = openDatabase(file, { timeout: 0, fileMustExist: true });
    const peek = closeOnError(db, () => ({
      db,
      inode: inodeOf(file),
      state: db.prepare<[], StateRow>(STATE).raw(),
      journal: db.prepare<[], string>('PRAGMA journal_mode').pluck(),
    }));
    this.#peeks.set(name, peek);
    return peek;
  }

  #closePeek(name: string): void {
    this.#peeks.get(name)?.db.close();
    this.#peeks.delete(name);
  }

  get #inMemory(): boolean {
    return this.directory === IN_MEMORY;
  }

  #file(file: string): string {
    return this.#inMemory ? IN_MEMORY : join(this.directory, file);
  }
}
