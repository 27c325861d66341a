import type Database from 'better-sqlite3';
import type { Position } from '../../kernel/position.js';
import { asIndexed, type IndexValue, indexValueOf } from '../index-value.js';
import type {
  CollectionDefinition,
  Document,
  DocumentWrite,
  KeptDocument,
  Range,
  ScannedDocument,
} from '../read-store.js';

interface Row {
  position: Position;
  body: string;
}

interface FullRow extends Row {
  readonly key: string;
  readonly [field: string]: IndexValue;
}

/** What can be done with a table that has its indexes. */
interface Indexed {
  readonly get: Database.Statement<[string], Row>;
  readonly put: Database.Statement<IndexValue[]>;
  readonly remove: Database.Statement<[string]>;
  readonly scan: Database.Statement<[string, number], FullRow>;
}

/**
 * A collection as a table of JSON documents, whose indexed fields are columns. Its indexes are put off until they
 * are needed: in the long replay of a log new documents are added at a fraction of the cost, and one sort makes
 * each index.
 */
export class SqliteCollection {
  readonly #table: string;
  readonly #fields: readonly string[];
  readonly #insertion: string;
  readonly #add: Database.Statement<IndexValue[]>;
  readonly #ranges = new Map<string, Database.Statement<IndexValue[], string>>();
  #indexed: Indexed | undefined;

  /** @param name of the table; it is made when it does not exist. */
  constructor(
    private readonly db: Database.Database,
    private readonly name: string,
    private readonly definition: CollectionDefinition,
  ) {
    this.#table = quoted(name);
    this.#fields = [...new Set(Object.values(definition.indexes).flat())];
    const columns = ['key', 'position', 'body', ...this.#fields].map(quoted);
    db.exec(`CREATE TABLE IF NOT EXISTS ${this.#table} (${columns.join(', ')})`);
    this.#insertion = `INSERT INTO ${this.#table} VALUES (${columns.map(() => '?').join(', ')})`;
    this.#add = db.prepare(this.#insertion);
  }

  /** Whether it has its indexes, without which documents can be added to it and nothing else. */
  get isIndexed(): boolean {
    return this.#indexed !== undefined;
  }

  /**
   * Makes the indexes that are missing, one at a step, as each may take long. Not to be done in a transaction, which
   * might be undone.
   */
  *indexing(): Generator<void, void> {
    this.#make('UNIQUE INDEX', 'key', ['key']);
    for (const [index, fields] of Object.entries(this.definition.indexes)) {
      yield;
      this.#make('INDEX', index, fields);
    }
    const updated = ['position', 'body', ...this.#fields].map(quoted);
    const updates = updated.map((column) => `${column} = excluded.${column}`).join(', ');
    this.#indexed = {
      get: this.db.prepare(`SELECT position, body FROM ${this.#table} WHERE key = ?`),
      put: this.db.prepare(`${this.#insertion} ON CONFLICT (key) DO UPDATE SET ${updates}`),
      remove: this.db.prepare(`DELETE FROM ${this.#table} WHERE key = ?`),
      scan: this.db.prepare(`SELECT * FROM ${this.#table} WHERE key > ? ORDER BY key LIMIT ?`),
    };
  }

  /** As `indexing`, all at once. */
  index(): void {
    for (const _ of this.indexing());
  }

  get<Kept extends object>(key: string): KeptDocument<Kept> | undefined {
    const row = this.#lookedUp().get.get(key);
    return row && { position: row.position, document: JSON.parse(row.body) as Kept };
  }

  find<Kept extends object>(range: Range): Kept[] {
    const { index, equals, from, to, limit, skip = 0, descending = false } = range;
    const fields = this.definition.indexes[index];
    if (!fields) throw new Error(`${this.name} has no index ${index}`);
    const fixed = Object.keys(equals).length;
    const conditions = fields.slice(0, fixed).map((field) => `${quoted(field)} = ?`);
    const values = fields.slice(0, fixed).map((field) => indexValueOf(equals[field]));
    const next = quoted(fields[fixed] ?? '');
    if (from !== undefined) {
      conditions.push(`${next} >= ?`);
      values.push(from);
    }
    if (to !== undefined) {
      conditions.push(`${next} <= ?`);
      values.push(to);
    }
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const direction = descending ? ' DESC' : '';
    const order = fields.map((field) => `${quoted(field)}${direction}`).join(', ');
    // Left to choose, SQLite may take an index that lacks a fixed field, and look at every document in it.
    const source = `${this.#table} INDEXED BY ${this.#indexName(index)}`;
    const sql = `SELECT body FROM ${source} ${where} ORDER BY ${order} LIMIT ? OFFSET ?`;
    return this.#range(sql)
      .all(...values, limit, skip)
      .map((body) => JSON.parse(body) as Kept);
  }

  /** Documents by key; a field whose column says something else is given as that has it. */
  scan(after: string, limit: number): ScannedDocument[] {
    return this.#lookedUp()
      .scan.all(after, limit)
      .map((row) => {
        const indexed = Object.fromEntries(
          this.#fields.map((field) => [field, row[field] ?? null]),
        );
        const document = asIndexed(JSON.parse(row.body) as Document, indexed);
        return { key: row.key, position: row.position, document };
      });
  }

  write({ key, position, document, isNew }: Omit<DocumentWrite, 'collection'>): void {
    if (document === null) {
      this.#lookedUp().remove.run(key);
      return;
    }
    const put = isNew && !this.#indexed ? this.#add : this.#lookedUp().put;
    put.run(key, position, JSON.stringify(document), ...this.#values(document));
  }

  #values(document: Document): IndexValue[] {
    return this.#fields.map((field) => indexValueOf(document[field]));
  }

  #lookedUp(): Indexed {
    if (!this.#indexed) throw new Error(`${this.name} was not indexed`);
    return this.#indexed;
  }

  #make(kind: string, name: string, fields: readonly string[]): void {
    const columns = fields.map(quoted).join(', ');
    const index = this.#indexName(name);
    this.db.exec(`CREATE ${kind} IF NOT EXISTS ${index} ON ${this.#table} (${columns})`);
  }

  #indexName(name: string): string {
    return quoted(`${this.name}.${name}`);
  }

  #range(sql: string): Database.Statement<IndexValue[], string> {
    let statement = this.#ranges.get(sql);
    if (!statement) {
      statement = this.db.prepare<IndexValue[], string>(sql).pluck();
      this.#ranges.set(sql, statement);
    }
    return statement;
  }
}

function quoted(name: string): string {
  return `"${name}"`;
}
