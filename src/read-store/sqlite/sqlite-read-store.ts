import type Database from 'better-sqlite3';
import { Unavailable } from '../../kernel/errors.js';
import { openDatabase } from '../../sqlite/open-database.js';
import type { ReadModel, ReadModelDefinition, ReadStore } from '../read-store.js';
import { SqliteReadModel } from './sqlite-read-model.js';

/** How long a write waits for another process (the command line) that is writing. */
const BUSY_TIMEOUT_MS = 250;
const PAGE_CACHE_KIB = 16 * 1024;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS generations (
  read_model TEXT    NOT NULL,
  generation INTEGER NOT NULL,
  version    INTEGER NOT NULL,
  checkpoint TEXT    NOT NULL,
  PRIMARY KEY (read_model, generation)
) STRICT;
`;

/**
 * Read models in one SQLite file, each collection a table of JSON documents whose indexed fields are columns.
 * Documents and checkpoint share a transaction, so a crash loses recent work at most, which is folded again.
 */
export class SqliteReadStore implements ReadStore {
  readonly #db: Database.Database;
  readonly #models = new Map<string, SqliteReadModel>();

  /** @param file path of the database; it is created when it does not exist. `:memory:` keeps nothing. */
  constructor(file: string) {
    this.#db = openDatabase(file, { timeout: 5_000 });
    this.#db.exec('PRAGMA journal_mode = WAL');
    this.#db.exec('PRAGMA synchronous = NORMAL');
    this.#db.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
    this.#db.exec(SCHEMA);
    this.#db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }

  readModel(definition: ReadModelDefinition): ReadModel {
    let model = this.#models.get(definition.name);
    if (!model) {
      model = new SqliteReadModel(this.#db, definition);
      this.#models.set(definition.name, model);
    }
    return model;
  }

  async ping(): Promise<void> {
    try {
      this.#db.exec('SELECT 1');
    } catch (error) {
      throw new Unavailable('read store', error);
    }
  }

  async close(): Promise<void> {
    this.#db.close();
  }
}
