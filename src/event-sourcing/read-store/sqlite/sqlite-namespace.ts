import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { Unavailable } from '../../../kernel/errors.js';
import { type Position, START } from '../../../kernel/position.js';
import {
  closeOnError,
  enableWriteAhead,
  inodeOf,
  openDatabase,
} from '../../sqlite/open-database.js';
import {
  type Change,
  type Collections,
  type Namespace,
  type ReadOptions,
  StaleCheckpointError,
  type View,
} from '../read-store.js';
import { Dictionary } from './dictionary.js';
import { withNamespaceFaults } from './namespace-faults.js';
import { SqliteCollection } from './sqlite-collection.js';
import { Turns } from './turns.js';

/** How long opening waits while another process creates the same database. */
const OPEN_TIMEOUT_MS = 5_000;
/** How long a write waits, and blocks its thread, while a command of the command line writes. */
const BUSY_TIMEOUT_MS = 250;
/** A small cache: few requests need the same page, and the operating system caches the file too. */
const PAGE_CACHE_KIB = 4 * 1024;

/** A reader rests after a read of more characters of documents. A page of records has fewer. */
const LONG_READ = 1_000_000;
/** A rest as a multiple of the long read, so that others do not wait for one in each turn. */
const RESTS = 4;
/** The owner of the turns of reads that name no reader. */
const NOBODY = '';
/** The owner of a turn that writes. A turn that reads has an account id, never this value. */
const WRITER = 'writer';

/** The table whose only row is the state. The table is empty before the first write. */
const STATE_TABLE =
  'CREATE TABLE IF NOT EXISTS "namespace" (id INTEGER PRIMARY KEY, checkpoint TEXT NOT NULL, serves INTEGER NOT NULL)';
const MOVE = `INSERT INTO "namespace" VALUES (1, ?, 0)
  ON CONFLICT DO UPDATE SET checkpoint = excluded.checkpoint`;
const SERVE = `INSERT INTO "namespace" VALUES (1, '${START}', 1) ON CONFLICT DO UPDATE SET serves = 1`;
export const STATE = 'SELECT checkpoint, serves FROM "namespace"';

export type StateRow = [checkpoint: Position, serves: 0 | 1];

interface Opened {
  readonly db: Database.Database;
  readonly inode: string | undefined;
  readonly collections: ReadonlyMap<string, SqliteCollection>;
  readonly dictionary: Dictionary;
  /** Prepared once, because each read needs `begin` and `commit`. */
  readonly begin: Database.Statement<[]>;
  readonly commit: Database.Statement<[]>;
  readonly state: Database.Statement<[], StateRow>;
  readonly move: Database.Statement<[Position]>;
}

/**
 * A namespace in its own database. Reads and writes of a process take turns, so a read sees one
 * state. A power cut may undo the last commits, but no part of one. The engine folds them again.
 */
export class SqliteNamespace implements Namespace {
  readonly #turns = new Turns();
  #opened: Opened | undefined;
  #isFilled: boolean;
  #isEnded = false;

  /** @param file the database, created at the first use. `:memory:` stores nothing on disk. */
  constructor(
    private readonly name: string,
    private readonly file: string,
    private readonly definitions: Collections,
    isFilled: boolean,
  ) {
    this.#isFilled = isFilled && file !== ':memory:';
  }

  checkpoint(): Promise<Position> {
    return this.#turns.run(NOBODY, () => this.#use(checkpointIn));
  }

  /** Whether this process fills the namespace, and nobody else can open it. */
  get isFilling(): boolean {
    return this.#isFilled && this.#opened !== undefined;
  }

  state(): StateRow | undefined {
    return this.#use(({ state }) => state.get());
  }

  read<Result>(
    read: (view: View) => Promise<Result>,
    { reader = NOBODY }: ReadOptions = {},
  ): Promise<Result> {
    return this.#turns.run(reader, async () => {
      const { db, collections, commit } = this.#use((opened) => {
        opened.begin.run();
        return opened;
      });
      const before = charactersRead(collections);
      const began = performance.now();
      try {
        const result = await read(this.#view());
        if (reader !== NOBODY && charactersRead(collections) - before > LONG_READ) {
          this.#turns.rest(reader, RESTS * (performance.now() - began));
        }
        // Commits, because the first look-up while a namespace is filled makes the index of keys.
        this.#use(() => commit.run());
        return result;
      } finally {
        if (db.open && db.inTransaction) this.#use(() => db.exec('ROLLBACK'));
      }
    });
  }

  write(from: Position, to: Position, changes: readonly Change[]): Promise<void> {
    return this.#turns.run(WRITER, () => {
      if (to <= from) throw new Error(`the checkpoint of ${this.name} must grow`);
      this.#use((opened) => this.#commit(opened, from, to, changes));
    });
  }

  async settle(signal?: AbortSignal): Promise<void> {
    if (!this.#isFilled) return;
    for (const collection of this.#use(({ collections }) => collections.values())) {
      const steps = collection.indexing();
      while (!this.#use(() => steps.next()).done) {
        await nextTurn();
        signal?.throwIfAborted();
      }
    }
    this.#use(({ db }) => {
      db.exec('PRAGMA synchronous = FULL');
      db.exec('PRAGMA locking_mode = NORMAL');
      // This changes the first page, and waits until everything written before is on disk.
      enableWriteAhead(db);
      db.exec('PRAGMA synchronous = NORMAL');
    });
    this.#isFilled = false;
  }

  serve(): Promise<void> {
    return this.#turns.run(WRITER, () => {
      this.#use(({ db, inode }) => {
        this.#requireFile(inode);
        db.exec(SERVE);
      });
    });
  }

  close(): Promise<void> {
    // A read that waits would open the database again.
    return this.#turns.runLast(() => {
      this.#opened?.db.close();
      this.#opened = undefined;
    });
  }

  /** Refuses all later calls, and closes the database. */
  end(): Promise<void> {
    this.#isEnded = true;
    return this.close();
  }

  #commit(opened: Opened, from: Position, to: Position, changes: readonly Change[]): void {
    const { db, inode, move, collections, dictionary } = opened;
    this.#requireFile(inode);
    db.exec('BEGIN IMMEDIATE');
    try {
      if (checkpointIn(opened) !== from) throw new StaleCheckpointError(this.name);
      for (const change of changes) collectionIn(collections, change.collection).write(change);
      move.run(to);
      db.exec('COMMIT');
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      dictionary.forget();
      throw error;
    }
  }

  /** @throws Unavailable if the file was removed or replaced: writes would be lost at the end. */
  #requireFile(inode: string | undefined): void {
    if (inodeOf(this.file) === inode) return;
    throw new Unavailable('read store', `${this.file} was removed or replaced while it was in use`);
  }

  #view(): View {
    const ask = <Result>(name: string, question: (one: SqliteCollection) => Result): Result =>
      this.#use(({ collections }) => question(collectionIn(collections, name)));
    return {
      checkpoint: this.#use(checkpointIn),
      get: async (name, key) => ask(name, (collection) => collection.get(key)),
      getMany: async (name, keys) => ask(name, (collection) => collection.getMany(keys)),
      range: async (name, range) => ask(name, (collection) => collection.range(range)),
      records: async (name, range) => ask(name, (collection) => collection.records(range)),
      count: async (name, part) => this.#takeSteps(ask(name, (one) => one.counting(part))),
      scan: async (name, after, limit) => ask(name, (collection) => collection.scan(after, limit)),
    };
  }

  /** Takes steps within one read. Other work of the process has a turn after each of them. */
  async #takeSteps<Result>(steps: Generator<void, Result>): Promise<Result> {
    for (;;) {
      const { done, value } = this.#use(() => steps.next());
      if (done) return value;
      await nextTurn();
    }
  }

  #use<Result>(work: (opened: Opened) => Result): Result {
    if (this.#isEnded) throw new Unavailable('read store', `${this.name} was removed`);
    return withNamespaceFaults(this.name, () => work((this.#opened ??= this.#open())));
  }

  #open(): Opened {
    const db = openDatabase(this.file, { timeout: OPEN_TIMEOUT_MS });
    return closeOnError(db, () => {
      if (this.#isFilled) {
        // Every page is written once, where it belongs, and nothing waits for the disk.
        db.exec('PRAGMA locking_mode = EXCLUSIVE');
        db.exec('PRAGMA journal_mode = MEMORY');
        db.exec('PRAGMA synchronous = OFF');
      } else {
        enableWriteAhead(db);
        db.exec('PRAGMA synchronous = NORMAL');
      }
      db.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      db.exec(STATE_TABLE);
      const dictionary = new Dictionary(db);
      const collections = new Map<string, SqliteCollection>();
      for (const [name, definition] of Object.entries(this.definitions)) {
        const collection = new SqliteCollection(db, name, definition, dictionary);
        collections.set(name, collection);
        if (!this.#isFilled) for (const _ of collection.indexing());
      }
      return {
        db,
        inode: inodeOf(this.file),
        collections,
        dictionary,
        begin: db.prepare<[]>('BEGIN'),
        commit: db.prepare<[]>('COMMIT'),
        state: db.prepare<[], StateRow>(STATE).raw(),
        move: db.prepare<[Position]>(MOVE),
      };
    });
  }
}

function checkpointIn({ state }: Opened): Position {
  return state.get()?.[0] ?? START;
}

function charactersRead(collections: ReadonlyMap<string, SqliteCollection>): number {
  let sum = 0;
  for (const collection of collections.values()) sum += collection.charactersRead;
  return sum;
}

function collectionIn(
  collections: ReadonlyMap<string, SqliteCollection>,
  name: string,
): SqliteCollection {
  const collection = collections.get(name);
  if (!collection) throw new Error(`there is no collection ${name}`);
  return collection;
}
