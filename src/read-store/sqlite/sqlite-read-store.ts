import type Database from 'better-sqlite3';
import { orClosed } from '../../sqlite/open-database.js';
import type { NextGeneration, ReadModel, ReadModelDefinition, ReadStore } from '../read-store.js';
import { Catalog } from './catalog.js';
import { GenerationFiles } from './generation-files.js';
import { Generation } from './generation.js';
import { guarded } from './guarded.js';
import { isShapedAs } from './generation-shape.js';
import { opening } from './opening.js';
import type { Role } from './role.js';
import { SqliteReadModel, type Succession } from './sqlite-read-model.js';

/**
 * Read models in a directory of SQLite files: one for each generation of a read model, so that filling one never
 * locks out another, and a catalog of those that serve.
 */
export class SqliteReadStore implements ReadStore {
  readonly #files: GenerationFiles;
  readonly #catalogDb: Database.Database;
  readonly #catalog: Catalog;
  readonly #models = new Map<string, SqliteReadModel>();
  readonly #filled = new Set<Generation>();

  /** @param directory it is made when it does not exist. `:memory:` keeps nothing. */
  constructor(
    directory: string,
    private readonly role: Role = 'folds',
  ) {
    this.#files = new GenerationFiles(directory, role);
    this.#catalogDb = this.#files.openCatalog();
    this.#catalog = new Catalog(this.#catalogDb);
  }

  readModel(definition: ReadModelDefinition): ReadModel {
    let model = this.#models.get(definition.name);
    if (!model) {
      this.#removeLeftovers(definition.name);
      const serving = this.#openServing(definition);
      const succession = this.#successionOf(definition);
      model = new SqliteReadModel(serving, definition, this.role, succession);
      this.#models.set(definition.name, model);
    }
    return model;
  }

  async fill(definition: ReadModelDefinition): Promise<NextGeneration> {
    const { name, version } = definition;
    return guarded(() => {
      this.#removeLeftovers(name);
      const filled = this.#catalog.alone(() => {
        // It is listed and locked before another process can look for leftovers.
        const number = this.#catalog.beginFilling(definition);
        const db = this.#files.openAlone(name, number);
        return orClosed(db, () => new Generation({ number, version }, db, definition));
      });
      this.#filled.add(filled);
      return {
        model: new SqliteReadModel(filled, definition, 'folds'),
        serve: async () => guarded(() => this.#promote(definition, filled)),
        discard: async () => guarded(() => this.#discard(name, filled)),
      };
    });
  }

  async isFilling({ name }: ReadModelDefinition): Promise<boolean> {
    return guarded(() => {
      const fillings = this.#catalog.fillings(name);
      const isHeld = this.#files.held(name, fillings).length > 0;
      // What a process left that was killed is not looked at again and again.
      if (fillings.length > 0 && !isHeld) this.#removeLeftovers(name);
      return isHeld;
    });
  }

  async ping(): Promise<void> {
    guarded(() => {
      this.#catalogDb.exec('SELECT 1');
      this.#files.assertThere();
    });
  }

  async close(): Promise<void> {
    for (const model of this.#models.values()) await model.close();
    for (const filled of this.#filled) filled.close();
    this.#files.close();
    this.#catalogDb.close();
  }

  #openServing(definition: ReadModelDefinition): Generation {
    for (;;) {
      const number = this.#catalog.servingOrNew(definition, (earlier) =>
        this.#isKeptAs(definition, earlier),
      );
      const db = this.#files.open(definition.name, number);
      // Another process may have replaced and removed it before it was open; then it is an empty file now.
      if (this.#catalog.serving(definition) === number) {
        const version = this.#catalog.begunBy(definition, number);
        const generation = opening(db.name, () =>
          orClosed(db, () => new Generation({ number, version }, db, definition)),
        );
        if (this.role === 'reads') db.exec('PRAGMA query_only = ON');
        return generation;
      }
      db.close();
    }
  }

  #isKeptAs(definition: ReadModelDefinition, generation: number): boolean {
    const db = this.#files.open(definition.name, generation);
    try {
      return isShapedAs(db, definition);
    } finally {
      db.close();
    }
  }

  #successionOf(definition: ReadModelDefinition): Succession {
    return {
      serving: () => this.#catalog.serving(definition),
      open: () => this.#openServing(definition),
      dropReplaced: (generation) => {
        const replaced = this.#catalog.replacedBy(definition, generation);
        if (replaced.length === 0) return;
        this.#catalog.drop(definition.name, replaced);
        this.#removeLeftovers(definition.name);
      },
    };
  }

  #promote(definition: ReadModelDefinition, filled: Generation): void {
    filled.makeDurable();
    const promoted = this.#catalog.alone(() => {
      // It lets nobody else in while it is open, and closed it would pass for a leftover.
      this.#end(filled);
      return this.#catalog.promote(definition, filled.number);
    });
    if (!promoted) {
      throw new Error(`generation ${filled.number} of ${definition.name} was removed meanwhile`);
    }
    this.#removeLeftovers(definition.name);
  }

  #discard(name: string, filled: Generation): void {
    this.#end(filled);
    this.#catalog.endFilling(name, filled.number);
    this.#removeLeftovers(name);
  }

  #end(filled: Generation): void {
    filled.close();
    this.#filled.delete(filled);
  }

  /** Removes what processes left that did not come to an end, and files of generations that were dropped. */
  #removeLeftovers(name: string): void {
    if (this.#leftovers(name).length === 0) return;
    this.#catalog.alone(() => {
      for (const generation of this.#leftovers(name)) {
        this.#catalog.endFilling(name, generation);
        this.#files.remove(name, generation);
      }
    });
  }

  #leftovers(name: string): number[] {
    // Files are listed first: one that is made meanwhile must not be taken for one that is not in the catalog.
    const present = this.#files.present(name);
    const known = new Set(this.#catalog.known(name));
    const fillings = this.#catalog.fillings(name);
    const held = new Set(this.#files.held(name, fillings));
    const dead = fillings.filter((number) => !held.has(number));
    return [...present.filter((number) => !known.has(number)), ...dead];
  }
}
