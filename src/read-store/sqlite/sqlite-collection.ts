import type Database from 'better-sqlite3';
import type { Position } from '../../kernel/position.js';
import { UP_TO } from '../../sqlite/limit.js';
import { asIndexed, indexedFields, type IndexValue, indexValueOf } from '../index-value.js';
import type {
  CollectionDefinition,
  Document,
  DocumentWrite,
  KeptDocument,
  Part,
  Range,
  ScannedDocument,
} from '../read-store.js';
import { Bodies } from './bodies.js';
import type { Budget } from './budget.js';
import type { Dictionary } from './dictionary.js';
import { quoted } from './quoted.js';
import { type ColumnRange, rangeQuery, type RangeRow } from './range-query.js';
import { complete, isWhole } from './said-by-columns.js';

/** New documents in one statement, where many are added: each statement has a cost of its own. */
const ADDED_AT_ONCE = 16;

const KEY = 'key';

/** A document as its row has it, read as a tuple, which is the cheapest form there is. */
type Row = [body: string, ...indexed: IndexValue[]];

/** What can be done with a table that has its indexes. */
interface Indexed {
  readonly get: Database.Statement<[string], [position: Position, ...Row]>;
  readonly put: Database.Statement<[readonly IndexValue[]]>;
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
  readonly #isColumn: ReadonlySet<string>;
  /** The columns in which a document is said besides its body. */
  readonly #columns: readonly string[];
  /** Those of the fields whose columns have numbers that stand for values. */
  readonly #shared: ReadonlySet<string>;
  /** The columns of a `Row`. */
  readonly #row: string;
  readonly #insertion: string;
  readonly #add: Database.Statement<[readonly IndexValue[]]>;
  readonly #addMany: Database.Statement<[readonly IndexValue[]]>;
  readonly #indexesMade: Database.Statement<[string], number>;
  readonly #bodies: Bodies;
  readonly #ranges = new Map<string, Database.Statement<IndexValue[], RangeRow>>();
  #indexed: Indexed | undefined;

  /** @param name of the table; it is made when it does not exist. */
  constructor(
    private readonly db: Database.Database,
    private readonly name: string,
    private readonly definition: CollectionDefinition,
    private readonly dictionary: Dictionary,
  ) {
    this.#table = quoted(name);
    this.#fields = indexedFields(definition);
    this.#columns = definition.key === undefined ? this.#fields : [KEY, ...this.#fields];
    this.#isColumn = new Set(this.#fields);
    this.#shared = new Set(definition.shared);
    this.#row = ['body', ...this.#fields].map(quoted).join(', ');
    const columns = [
      ...[KEY, 'position', 'body'].map(quoted),
      ...this.#fields.map(
        (field) => `${quoted(field)}${this.#shared.has(field) ? ' INTEGER' : ''}`,
      ),
    ];
    db.exec(`CREATE TABLE IF NOT EXISTS ${this.#table} (${columns.join(', ')})`);
    this.#bodies = new Bodies(db, this.#table);
    const row = `(${columns.map(() => '?').join(', ')})`;
    this.#insertion = `INSERT INTO ${this.#table} VALUES ${row}`;
    this.#add = db.prepare(this.#insertion);
    const rows = Array<string>(ADDED_AT_ONCE).fill(row).join(', ');
    this.#addMany = db.prepare(`INSERT INTO ${this.#table} VALUES ${rows}`);
    this.#indexesMade = db
      .prepare<[string], number>(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?",
      )
      .pluck();
  }

  /** Of the bodies of all documents that were read so far. */
  get charactersRead(): number {
    return this.#bodies.charactersRead;
  }

  /** Whether it has its indexes, without which documents can be added to it and nothing else. */
  get isIndexed(): boolean {
    return this.#indexed !== undefined;
  }

  /** Whether the database has them all, whoever made them. */
  hasIndexes(): boolean {
    return this.#indexesMade.get(this.name) === 1 + Object.keys(this.definition.indexes).length;
  }

  /**
   * Makes the indexes that are missing, one at a step, as each may take long. Not to be done in a transaction, which
   * might be undone.
   */
  *indexing(): Generator<void, void> {
    this.#make('UNIQUE INDEX', 'key', [KEY]);
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
          `SELECT key, position, ${this.#row} FROM ${this.#table} WHERE key > ? ORDER BY key ${UP_TO}`,
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
    const [position, body, ...columns] = found;
    return { position, document: this.#document(body, this.#said(key, columns)) as Kept };
  }

  findPart<Kept extends object>(range: Range, bytes: number, budget?: Budget): Part<Kept> {
    const { unneeded = [] } = range;
    const fields = this.definition.indexes[range.index];
    if (!fields) throw new Error(`${this.name} has no index ${range.index}`);
    const index = this.#indexName(range.index);
    const asked = this.#inColumns(fields, range);
    if (!asked) return { documents: [], isWhole: true };
    const source = { table: this.#table, index, fields, columns: this.#columns };
    const { sql, values, open } = rangeQuery(source, asked);
    const [bodies, ...lists] = this.#range(sql).get(...values) ?? [];
    const part = this.#bodies.readListed(bodies ?? null, bytes, budget);
    const columns = lists.map((list) => JSON.parse(list) as IndexValue[]);
    const fixed = Object.entries(range.equals).filter(([field]) => !unneeded.includes(field));
    part.documents.forEach((document, place) => {
      for (const [field, value] of fixed) complete(document, field, indexValueOf(value));
      open.forEach((column, which) => {
        const field = column === KEY ? (this.definition.key ?? KEY) : column;
        complete(document, field, this.#value(field, columns[which]?.[place] ?? null));
      });
    });
    return part as Part<Kept>;
  }

  /** Documents by key; a field whose column says something else is given as that has it. */
  scan(after: string, limit: number): ScannedDocument[] {
    return this.#lookedUp()
      .scan.all(after, limit)
      .map(([key, position, body, ...columns]) => {
        const said = this.#said(key, columns);
        return { key, position, document: asIndexed(this.#document(body, said), said) };
      });
  }

  /** Whether indexes are missing without which these cannot be written: only new documents need none. */
  needsIndexesFor(writes: readonly DocumentWrite[]): boolean {
    return !this.#indexed && !writes.every(({ isNew, document }) => isNew && document);
  }

  write(writes: readonly DocumentWrite[]): void {
    if (!this.#indexed) {
      this.#addAll(writes);
      return;
    }
    const { put, remove } = this.#indexed;
    for (const { key, position, document } of writes) {
      if (document) put.run(this.#added([], key, position, document));
      else remove.run(key);
    }
  }

  #addAll(writes: readonly DocumentWrite[]): void {
    const inFull = writes.length - (writes.length % ADDED_AT_ONCE);
    let rows: IndexValue[] = [];
    writes.forEach(({ key, position, document }, place) => {
      if (!document) return;
      this.#added(rows, key, position, document);
      if (place < inFull && (place + 1) % ADDED_AT_ONCE !== 0) return;
      (place < inFull ? this.#addMany : this.#add).run(rows);
      rows = [];
    });
  }

  /** What of a document its key and its columns do not say. */
  #unindexed(key: string, document: Document): Document {
    const rest: Record<string, unknown> = {};
    for (const field in document) {
      const value = document[field];
      if (
        field === this.definition.key ? value === key : this.#isColumn.has(field) && isWhole(value)
      )
        continue;
      rest[field] = value;
    }
    return rest;
  }

  /** What a row says besides its body, by field. */
  #said(key: string, columns: readonly IndexValue[]): Record<string, IndexValue> {
    const said: Record<string, IndexValue> = {};
    if (this.definition.key !== undefined) said[this.definition.key] = key;
    this.#fields.forEach((field, place) => {
      said[field] = this.#value(field, columns[place] ?? null);
    });
    return said;
  }

  #document(body: string, said: Readonly<Record<string, IndexValue>>): Document {
    const document = this.#bodies.read(body);
    for (const [field, value] of Object.entries(said)) complete(document, field, value);
    return document;
  }

  /** Values with those of one more row behind. */
  #added(
    values: IndexValue[],
    key: string,
    position: Position,
    document: Document,
  ): readonly IndexValue[] {
    values.push(key, position, JSON.stringify(this.#unindexed(key, document)));
    for (const field of this.#fields) {
      const value = indexValueOf(document[field]);
      values.push(this.#shared.has(field) ? this.dictionary.findOrAdd(field, value) : value);
    }
    return values;
  }

  /** What a column says. */
  #value(field: string, column: IndexValue): IndexValue {
    return this.#shared.has(field) ? this.dictionary.value(column) : column;
  }

  /** A range with the values that the columns have; undefined when no document has one of them. */
  #inColumns(fields: readonly string[], { anyOf, ...range }: Range): ColumnRange | undefined {
    const equals = { ...range.equals };
    const listed = anyOf && fields[Object.keys(equals).length];
    let known: readonly IndexValue[] | undefined = anyOf;
    for (const field of fields) {
      if (!this.#shared.has(field)) continue;
      if (field === listed) {
        known = anyOf?.flatMap((value) => this.dictionary.find(value) ?? []);
        continue;
      }
      const value = indexValueOf(equals[field]);
      if (value === null) throw new Error(`a range of ${range.index} needs one ${field}`);
      const number = this.dictionary.find(value);
      if (number === undefined) return undefined;
      equals[field] = number;
    }
    if (known?.length === 0) return undefined;
    return { ...range, equals, ...(known && { anyOf: known }) };
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

  #range(sql: string): Database.Statement<IndexValue[], RangeRow> {
    let statement = this.#ranges.get(sql);
    if (!statement) {
      statement = this.db.prepare<IndexValue[], RangeRow>(sql).raw();
      this.#ranges.set(sql, statement);
    }
    return statement;
  }
}
