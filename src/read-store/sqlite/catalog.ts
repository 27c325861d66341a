import type Database from 'better-sqlite3';
import type { ReadModelDefinition } from '../read-store.js';

const COLUMNS = `
  read_model TEXT    NOT NULL,
  generation INTEGER NOT NULL,
  version    INTEGER NOT NULL,
  PRIMARY KEY (read_model, generation)
`;

/**
 * Generations that serve, or are kept for a version that may come back; those that are being filled; and for those that
 * serve a later version than the one that began them, which that was.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS generations (${COLUMNS}) STRICT;
CREATE TABLE IF NOT EXISTS fillings (${COLUMNS}) STRICT;
CREATE TABLE IF NOT EXISTS continued (
  ${COLUMNS},
  FOREIGN KEY (read_model, generation) REFERENCES generations ON DELETE CASCADE
) STRICT;
`;

const EARLIER = `
SELECT generation, coalesce(continued.version, generations.version) AS begunBy
FROM generations LEFT JOIN continued USING (read_model, generation)
WHERE read_model = ? AND generations.version < ? AND begunBy >= ?
ORDER BY generations.version DESC, generation DESC LIMIT 1
`;

interface EarlierGeneration {
  readonly generation: number;
  readonly begunBy: number;
}

type Naming = [name: string, generation: number];

/** Knows which generation of each read model serves, and which are being filled. */
export class Catalog {
  readonly #serving: Database.Statement<[string, number], number | null>;
  readonly #last: Database.Statement<[string, string], number>;
  readonly #known: Database.Statement<[string, string], number>;
  readonly #fillings: Database.Statement<[string], number>;
  readonly #earlier: Database.Statement<[string, number, number], EarlierGeneration>;
  readonly #begunBy: Database.Statement<Naming, number>;
  readonly #rememberVersion: Database.Statement<[string, number, number]>;
  readonly #takeOver: Database.Statement<[number, string, number]>;
  readonly #keep: Database.Statement<[string, number, number]>;
  readonly #fill: Database.Statement<[string, number, number]>;
  readonly #endFilling: Database.Statement<Naming>;
  readonly #replaced: Database.Statement<[string, number, number], number>;
  readonly #drop: Database.Statement<Naming>;
  readonly #dropOlder: Database.Statement<[string, number, number]>;

  constructor(private readonly db: Database.Database) {
    db.exec(SCHEMA);
    this.#serving = db
      .prepare<[string, number], number | null>(
        'SELECT max(generation) FROM generations WHERE read_model = ? AND version = ?',
      )
      .pluck();
    const known = 'SELECT generation FROM generations WHERE read_model = ?';
    const fillings = 'SELECT generation FROM fillings WHERE read_model = ?';
    const all = `${known} UNION ${fillings}`;
    this.#known = db.prepare<[string, string], number>(all).pluck();
    this.#fillings = db.prepare<[string], number>(fillings).pluck();
    this.#last = db
      .prepare<[string, string], number>(`SELECT coalesce(max(generation), 0) FROM (${all})`)
      .pluck();
    this.#earlier = db.prepare(EARLIER);
    this.#begunBy = db
      .prepare<Naming, number>(
        'SELECT version FROM continued WHERE read_model = ? AND generation = ?',
      )
      .pluck();
    this.#rememberVersion = db.prepare(
      'INSERT INTO continued VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#takeOver = db.prepare(
      'UPDATE generations SET version = ? WHERE read_model = ? AND generation = ?',
    );
    this.#keep = db.prepare('INSERT INTO generations VALUES (?, ?, ?)');
    this.#fill = db.prepare('INSERT INTO fillings VALUES (?, ?, ?)');
    this.#endFilling = db.prepare('DELETE FROM fillings WHERE read_model = ? AND generation = ?');
    this.#replaced = db
      .prepare<[string, number, number], number>(`${known} AND (version <> ? OR generation < ?)`)
      .pluck();
    this.#drop = db.prepare('DELETE FROM generations WHERE read_model = ? AND generation = ?');
    this.#dropOlder = db.prepare(
      'DELETE FROM generations WHERE read_model = ? AND version = ? AND generation < ?',
    );
  }

  /** The generation that serves a read model in its version, if there is one. */
  serving({ name, version }: ReadModelDefinition): number | undefined {
    return this.#serving.get(name, version) ?? undefined;
  }

  /**
   * The same; when there is none, one of a version that this one continues, taken over; else begun. Those of other
   * versions stay.
   * @param isContinuable whether an earlier generation is kept as this version keeps it.
   */
  servingOrNew(
    definition: ReadModelDefinition,
    isContinuable: (generation: number) => boolean,
  ): number {
    // Takes no lock when there is nothing to write.
    const serving = this.serving(definition);
    if (serving !== undefined) return serving;
    return this.alone(() => {
      // Another process may have begun it since.
      const begun = this.serving(definition);
      if (begun !== undefined) return begun;
      const continued = this.#continue(definition, isContinuable);
      if (continued !== undefined) return continued;
      const generation = this.#next(definition.name);
      this.#keep.run(definition.name, generation, definition.version);
      return generation;
    });
  }

  /** The version that began a generation which serves a definition. */
  begunBy({ name, version }: ReadModelDefinition, generation: number): number {
    return this.#begunBy.get(name, generation) ?? version;
  }

  /** Begins a generation that does not serve. */
  beginFilling({ name, version }: ReadModelDefinition): number {
    const generation = this.#next(name);
    this.#fill.run(name, generation, version);
    return generation;
  }

  /** Those that are being filled, or were by a process that is gone. */
  fillings(name: string): number[] {
    return this.#fillings.all(name);
  }

  endFilling(name: string, generation: number): void {
    this.#endFilling.run(name, generation);
  }

  /** Lets a filled generation serve, and ends the older ones of its version. @returns false when it is gone. */
  promote({ name, version }: ReadModelDefinition, generation: number): boolean {
    return this.alone(() => {
      if (this.#endFilling.run(name, generation).changes === 0) return false;
      this.#keep.run(name, generation, version);
      this.#dropOlder.run(name, version, this.#serving.get(name, version) ?? generation);
      return true;
    });
  }

  /** Generations that need not be kept when one of a version serves and has caught up. */
  replacedBy({ name, version }: ReadModelDefinition, generation: number): number[] {
    return this.#replaced.all(name, version, generation);
  }

  drop(name: string, generations: readonly number[]): void {
    this.alone(() => {
      for (const generation of generations) this.#drop.run(name, generation);
    });
  }

  /** Every generation that must not be removed. */
  known(name: string): number[] {
    return this.#known.all(name, name);
  }

  /** Does something while no other process can write here. */
  alone<Result>(work: () => Result): Result {
    return this.db.transaction(work).immediate();
  }

  /** From then on it is not the earlier version's any more, which might not understand what this one writes to it. */
  #continue(
    { name, version, continuesFrom = version }: ReadModelDefinition,
    isContinuable: (generation: number) => boolean,
  ): number | undefined {
    const earlier = this.#earlier.get(name, version, continuesFrom);
    if (!earlier || !isContinuable(earlier.generation)) return undefined;
    this.#rememberVersion.run(name, earlier.generation, earlier.begunBy);
    this.#takeOver.run(version, name, earlier.generation);
    return earlier.generation;
  }

  #next(name: string): number {
    return (this.#last.get(name, name) ?? 0) + 1;
  }
}
