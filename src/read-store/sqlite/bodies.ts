import type Database from 'better-sqlite3';
import type { Budget } from './budget.js';

/** A document as its body says it. */
type Said = Record<string, unknown>;

/** Reads the bodies of a collection's documents, and counts what is read of them. */
export class Bodies {
  readonly #large: Database.Statement<[row: number], string>;
  #charactersRead = 0;

  /** @param table quoted. */
  constructor(db: Database.Database, table: string) {
    this.#large = db.prepare<[number], string>(`SELECT body FROM ${table} WHERE rowid = ?`).pluck();
  }

  /** How many characters the bodies had that were read so far. */
  get charactersRead(): number {
    return this.#charactersRead;
  }

  read(body: string): Said {
    return this.#parsed(body) as Said;
  }

  /**
   * Reads a list of bodies in which large ones are named by their rows, and of those up to so many characters.
   * @param bodies JSON; null is an empty list.
   * @throws TooLong when large ones are more than the budget has left.
   */
  readListed(
    bodies: string | null,
    characters: number,
    budget?: Budget,
  ): { documents: Said[]; isWhole: boolean } {
    const listed = this.#parsed(bodies ?? '[]') as (Said | number)[];
    const documents: Said[] = [];
    let size = 0;
    for (const one of listed) {
      if (size > characters) return { documents, isWhole: false };
      if (typeof one !== 'number') documents.push(one);
      else {
        const body = this.#large.get(one) ?? '{}';
        size += body.length;
        budget?.spend(body.length);
        documents.push(this.read(body));
      }
    }
    return { documents, isWhole: true };
  }

  #parsed(body: string): unknown {
    this.#charactersRead += body.length;
    return JSON.parse(body);
  }
}
