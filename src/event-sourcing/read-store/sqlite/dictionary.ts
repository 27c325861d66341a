import type Database from 'better-sqlite3';

/** How many texts are known at a time, and numbers. Others are looked up in the table. */
const MOST_KNOWN = 10_000;

/**
 * The texts that many documents have. Each is stored once, and rows and indexes have its number,
 * which never changes. An account's id alone would take a fifth of the bytes of the read models.
 */
export class Dictionary {
  readonly #numbers = new Map<string, number>();
  readonly #texts = new Map<number, string>();
  readonly #find: Database.Statement<[text: string], number>;
  readonly #add: Database.Statement<[text: string]>;
  readonly #read: Database.Statement<[number: number], string>;

  constructor(db: Database.Database) {
    db.exec(
      'CREATE TABLE IF NOT EXISTS "dictionary" (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)',
    );
    this.#find = db
      .prepare<[string], number>('SELECT number FROM "dictionary" WHERE text = ?')
      .pluck();
    this.#add = db.prepare<[string]>('INSERT INTO "dictionary" (text) VALUES (?)');
    this.#read = db
      .prepare<[number], string>('SELECT text FROM "dictionary" WHERE number = ?')
      .pluck();
  }

  /** Returns the number of a text; null, which equals no number, for one that no document has. */
  find(text: string): number | null {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const found = this.#find.get(text);
    return found === undefined ? null : kept(this.#numbers, text, found);
  }

  /** Returns the number of a text, and adds the text in the present transaction if it is new. */
  findOrAdd(text: string): number {
    return (
      this.find(text) ?? kept(this.#numbers, text, Number(this.#add.run(text).lastInsertRowid))
    );
  }

  textOf(number: number): string {
    const known = this.#texts.get(number);
    if (known !== undefined) return known;
    const text = this.#read.get(number);
    if (text === undefined) throw new Error(`the dictionary has no text ${number}`);
    return kept(this.#texts, number, text);
  }

  /** Forgets numbers that a transaction has added, because it was rolled back. */
  forget(): void {
    this.#numbers.clear();
    this.#texts.clear();
  }
}

function kept<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): Value {
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, value);
  return value;
}
