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

/** A document as its row has it, read as a tuple, which is the cheapest form there is. */
type Row = [body: string, ...indexed: IndexValue[]];

/** What can be done with a table that has its indexes. */
interface Indexed {
  readonly get: Database.Statement<[string], [position: Position, ...Row]>;
  readonly put: Database.Statement<IndexValue[]>;
  readonly remove: Database.Statement<[string]>;
  readonly scan: Database.Statement<[string, number], [key: string, position: Position, ...Row]>;
}

/**
 * A collection as a table of documents: fields that have an index are columns, and the rest is JSON. Its indexes are
 * put off until they are needed: in the long replay of a log new documents are added at a fraction of the cost, and
 * one sort makes each index.
 */
export class SqliteCollection {
  readonly #table: string;
  readonly #fields: readonly string[];
  /** The columns of a `Row`. */
  readonly #row: string;
  readonly #insertion: string;
  readonly #add: Database.Statement<IndexValue[]>;
  readonly #ranges = new Map<string, Database.Statement<IndexValue[], Row>>();
  #indexed: Indexed | undefined;

  /** @param name of the table; it is made when it does not exist. */
  constructor(
    private readonly db: Database.Database,
    private readonly name: string,
    private readonly definition: CollectionDefinition,
  ) {
    this.#table = quoted(name);
    this.#fields = [...new Set(Object.values(definition.indexes).flat())];
    this.#row = ['body', ...this.#fields].map(quoted).join(', ');
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
      get: this.db
        .prepare<[string], [Position, ...Row]>(
          `SELECT position, ${this.#row} FROM ${this.#table} WHERE key = ?`,
        )
        .raw(),
      put: this.db.prepare(`${this.#insertion} ON CONFLICT (key) DO UPDATE SET ${updates}`),
      remove: this.db.prepare(`DELETE FROM ${this.#table} WHERE key = ?`),
      scan: this.db
        .prepare<[string, number], [string, Position, ...Row]>(
          `SELECT key, position, ${this.#row} FROM ${this.#table} WHERE key > ? ORDER BY key LIMIT ?`,
        )
        .raw(),
    };
  }

  /** As `indexing`, all at once. */
  index(): void {
    for (const _ of this.indexing());
  }

  get<Kept extends object>(key: string): KeptDocument<Kept> | undefined {
    const found = this.#lookedUp().get.get(key);
    if (!found) return undefined;
    const [position, ...row] = found;
    return { position, document: this.#document(row) as Kept };
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
    const sql = `SELECT ${this.#row} FROM ${source} ${where} ORDER BY ${order} LIMIT ? OFFSET ?`;
    return this.#range(sql)
      .all(...values, limit, skip)
      .map((row) => this.#document(row) as Kept);
  }

  /** Documents by key; a field whose column says something else is given as that has it. */
  scan(after: string, limit: number): ScannedDocument[] {
    return this.#lookedUp()
      .scan.all(after, limit)
      .map(([key, position, ...row]) => {
        const [, ...columns] = row;
        const indexed: Record<string, IndexValue> = {};
        this.#fields.forEach((field, place) => {
          indexed[field] = columns[place] ?? null;
        });
        return { key, position, document: asIndexed(this.#document(row), indexed) };
      });
  }

  write({ key, position, document, isNew }: Omit<DocumentWrite, 'collection'>): void {
    if (document === null) {
      this.#lookedUp().remove.run(key);
      return;
    }
    const put = isNew && !this.#indexed ? this.#add : this.#lookedUp().put;
    put.run(key, position, JSON.stringify(this.#unindexed(document)), ...this.#values(document));
  }

  /** What of a document its columns do not say. */
  #unindexed(document: Document): Document {
    const rest: Record<string, unknown> = {};
    for (const field of Object.keys(document)) {
      const value = document[field];
      if (!isWhole(value) || !this.#fields.includes(field)) rest[field] = value;
    }
    return rest;
  }

  #document([body, ...columns]: Row): Document {
    const document: Record<string, unknown> = {};
    this.#fields.forEach((field, place) => {
      const column = columns[place] ?? null;
      if (column !== null) document[field] = column;
    });
    return Object.assign(document, JSON.parse(body) as Document);
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

  #range(sql: string): Database.Statement<IndexValue[], Row> {
    let statement = this.#ranges.get(sql);
    if (!statement) {
      statement = this.db.prepare<IndexValue[], Row>(sql).raw();
      this.#ranges.set(sql, statement);
    }
    return statement;
  }
}

function quoted(name: string): string {
  return `"${name}"`;
}

/** Whether a column gives back what a field says; it does not keep truth apart from 1. */
function isWhole(field: unknown): field is string | number {
  return typeof field === 'string' || typeof field === 'number';
}
