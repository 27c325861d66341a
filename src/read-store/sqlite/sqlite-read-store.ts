import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { Unavailable } from '../../kernel/errors.js';
import type { ReadModel, ReadModelDefinition, ReadStore } from '../read-store.js';
import { Catalog } from './catalog.js';
import { connect } from './connection.js';
import { SqliteReadModel } from './sqlite-read-model.js';

/** How long a write may hold up everything else while another process (the command line) is writing. */
const BUSY_TIMEOUT_MS = 250;
const IN_MEMORY = ':memory:';

/**
 * Read models in a directory of SQLite files: one for each generation of a read model, so that filling one never
 * locks out another, and a catalog of those that serve.
 */
export class SqliteReadStore implements ReadStore {
  readonly #catalogDb: Database.Database;
  readonly #catalog: Catalog;
  readonly #models = new Map<string, SqliteReadModel>();

  /** @param directory it is made when it does not exist. `:memory:` keeps nothing. */
  constructor(private readonly directory: string) {
    if (directory !== IN_MEMORY) mkdirSync(directory, { recursive: true });
    this.#catalogDb = connect(this.#file('catalog'), BUSY_TIMEOUT_MS);
    this.#catalog = new Catalog(this.#catalogDb);
  }

  readModel(definition: ReadModelDefinition): ReadModel {
    let model = this.#models.get(definition.name);
    if (!model) {
      model = this.#open(definition);
      this.#models.set(definition.name, model);
    }
    return model;
  }

  async ping(): Promise<void> {
    try {
      this.#catalogDb.exec('SELECT 1');
    } catch (error) {
      throw new Unavailable('read store', error);
    }
  }

  async close(): Promise<void> {
    for (const model of this.#models.values()) await model.close();
    this.#catalogDb.close();
  }

  #open(definition: ReadModelDefinition): SqliteReadModel {
    const generation = `${definition.name}.${this.#catalog.serving(definition)}`;
    this.#removeOthers(definition.name, generation);
    return new SqliteReadModel(connect(this.#file(generation), BUSY_TIMEOUT_MS), definition);
  }

  /** What other generations left; whoever still has one open reads on undisturbed. */
  #removeOthers(readModel: string, generation: string): void {
    if (this.directory === IN_MEMORY) return;
    const others = readdirSync(this.directory).filter(
      (file) => file.startsWith(`${readModel}.`) && !file.startsWith(`${generation}.`),
    );
    for (const file of others) rmSync(join(this.directory, file), { force: true });
  }

  #file(name: string): string {
    return this.directory === IN_MEMORY ? IN_MEMORY : join(this.directory, `${name}.db`);
  }
}
