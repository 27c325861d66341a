import type Database from 'better-sqlite3';
import type { ReadModelDefinition } from '../read-store.js';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS generations (
  read_model TEXT    NOT NULL,
  generation INTEGER NOT NULL,
  version    INTEGER NOT NULL,
  PRIMARY KEY (read_model, generation)
) STRICT;
`;

interface Generation {
  readonly generation: number;
  readonly version: number;
}

/** Knows which generation of each read model serves. */
export class Catalog {
  readonly #latest: Database.Statement<[string], Generation>;

  constructor(private readonly db: Database.Database) {
    db.exec(SCHEMA);
    this.#latest = db.prepare<[string], Generation>(
      'SELECT generation, version FROM generations WHERE read_model = ? ORDER BY generation DESC LIMIT 1',
    );
  }

  /** The generation that serves a read model; a new one when there is none in its version, and others end. */
  serving({ name, version }: ReadModelDefinition): number {
    // Takes no lock when there is nothing to write.
    const latest = this.#latest.get(name);
    if (latest?.version === version) return latest.generation;
    const begin = this.db.transaction((): number => {
      const last = this.#latest.get(name);
      // Another process may have begun it since.
      if (last?.version === version) return last.generation;
      const generation = (last?.generation ?? 0) + 1;
      this.db.prepare('DELETE FROM generations WHERE read_model = ?').run(name);
      this.db
        .prepare('INSERT INTO generations (read_model, generation, version) VALUES (?, ?, ?)')
        .run(name, generation, version);
      return generation;
    });
    return begin.immediate();
  }
}
