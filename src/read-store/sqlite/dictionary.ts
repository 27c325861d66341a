import type Database from 'better-sqlite3';
import type { IndexValue } from '../index-value.js';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS dictionary (
  number INTEGER PRIMARY KEY,
  value  ANY NOT NULL UNIQUE
) STRICT;
`;
/** Values known without a look into the database; there are more only where there are very many accounts. */
const REMEMBERED = 2_000;

/**
 * Values that many documents share, and the small numbers that stand for them in rows and indexes. A number stands for
 * its value for as long as the generation lives.
 */
export class Dictionary {
  readonly #numbers = new Map<string | number, number>();
  readonly #values = new Map<number, string | number>();
  /** Of each field: what is written one after another mostly has the same value, which is cheaper to see than to find. */
  readonly #last = new Map<string, { readonly value: string | number; readonly number: number }>();
  readonly #numberOf: Database.Statement<[string | number], number>;
  readonly #valueOf: Database.Statement<[number], string | number>;
  readonly #add: Database.Statement<[string | number]>;

  constructor(db: Database.Database) {
    db.exec(SCHEMA);
    this.#numberOf = db
      .prepare<[string | number], number>('SELECT number FROM dictionary WHERE value = ?')
      .pluck();
    this.#valueOf = db
      .prepare<[number], string | number>('SELECT value FROM dictionary WHERE number = ?')
      .pluck();
    this.#add = db.prepare('INSERT INTO dictionary (value) VALUES (?)');
  }

  /** The number of a value, if any document ever had it. */
  find(value: string | number): number | undefined {
    const remembered = this.#numbers.get(value);
    if (remembered !== undefined) return remembered;
    const known = this.#numberOf.get(value);
    if (known !== undefined) this.#remember(value, known);
    return known;
  }

  /**
   * The number of a field's value, which gets one if it has none: in a transaction, and `forget` follows if that is
   * undone.
   */
  findOrAdd(field: string, value: IndexValue): number | null {
    if (value === null) return null;
    const last = this.#last.get(field);
    if (last?.value === value) return last.number;
    const number = this.find(value) ?? this.#added(value);
    this.#last.set(field, { value, number });
    return number;
  }

  /** The value that a number stands for; null for what stands for none. */
  value(number: IndexValue): IndexValue {
    if (typeof number !== 'number') return null;
    const remembered = this.#values.get(number);
    if (remembered !== undefined) return remembered;
    const value = this.#valueOf.get(number);
    if (value === undefined) return null;
    this.#remember(value, number);
    return value;
  }

  /** Knows only what the database has. */
  forget(): void {
    this.#numbers.clear();
    this.#values.clear();
    this.#last.clear();
  }

  #added(value: string | number): number {
    const number = Number(this.#add.run(value).lastInsertRowid);
    this.#remember(value, number);
    return number;
  }

  #remember(value: string | number, number: number): void {
    if (this.#numbers.size >= REMEMBERED) this.forget();
    this.#numbers.set(value, number);
    this.#values.set(number, value);
  }
}
