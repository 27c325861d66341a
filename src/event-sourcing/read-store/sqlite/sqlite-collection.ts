import type Database from 'better-sqlite3';
import { SQL_LIMIT } from '../../sqlite/sql-limit.js';
import type {
  Change,
  CollectionDefinition,
  Document,
  IndexPart,
  Range,
  RangeResult,
  Row,
} from '../read-store.js';
import type { Dictionary } from './dictionary.js';
import {
  countQueries,
  type IndexValue,
  indexValueOf,
  quoted,
  rangeQuery,
  type Source,
} from './range-query.js';

/** For `#indexName`: the name of the index of keys, which no definition uses. */
const BY_KEY = '';

/** The entries of an index that a step of a count passes, in a millisecond or two. */
const COUNTED_IN_A_STEP = 10_000;
/** The characters of documents that are read in the time in which an entry is counted. */
const CHARACTERS_OF_AN_ENTRY = 10;

/** The statements that need the index of keys. */
interface ByKey {
  readonly get: Database.Statement<[string], StoredRow>;
  readonly getMany: Database.Statement<[keys: string], KeyedRow>;
  readonly put: Database.Statement<[readonly IndexValue[]]>;
  /** Changes the body of a document with these fields, if there is one, and no index. */
  readonly keep: Database.Statement<[readonly IndexValue[]]>;
  readonly remove: Database.Statement<[string]>;
  readonly scan: Database.Statement<[string, number], KeyedRow>;
}

/** A document's JSON and its indexed fields. Null says that the JSON has the field, if any. */
type StoredRow = [body: string, ...fields: IndexValue[]];
type KeyedRow = [key: string, ...row: StoredRow];

/**
 * A collection as a table: a row has the key, the indexed fields of a document, and the JSON of its
 * record or of the rest. While the collection is filled its indexes are postponed, because one sort
 * makes an index sooner than a million insertions. The index of keys is made when the first
 * document is looked up.
 */
export class SqliteCollection {
  readonly #table: string;
  readonly #fields: readonly string[];
  readonly #add: Database.Statement<[readonly IndexValue[]]>;
  readonly #insertion: string;
  readonly #statements = new Map<string, Database.Statement<IndexValue[]>>();
  readonly #stored: string;
  readonly #row: Database.Statement<[row: number], StoredRow>;
  #byKey: ByKey | undefined;
  #charactersRead = 0;

  constructor(
    private readonly db: Database.Database,
    private readonly name: string,
    private readonly definition: CollectionDefinition,
    private readonly texts: Dictionary,
  ) {
    this.#table = quoted(name);
    this.#fields = [...new Set(Object.values(definition.indexes).flat())];
    const columns = ['key', 'body', ...this.#fields].map(quoted);
    db.exec(`CREATE TABLE IF NOT EXISTS ${this.#table} (${columns.join(', ')})`);
    this.#insertion = `INSERT INTO ${this.#table} VALUES (${columns.map(() => '?').join(', ')})`;
    this.#add = db.prepare(this.#insertion);
    this.#stored = ['body', ...this.#fields]
      .map((column) => `${this.#table}.${quoted(column)}`)
      .join(', ');
    this.#row = db
      .prepare<[number], StoredRow>(`SELECT ${this.#stored} FROM ${this.#table} WHERE rowid = ?`)
      .raw();
  }

  /** Makes the missing indexes, one in each step, because each index may take long. */
  *indexing(): Generator<void, void> {
    this.#keys();
    for (const [index, fields] of Object.entries(this.definition.indexes)) {
      yield;
      this.#make('INDEX', index, fields);
    }
  }

  get(key: string): Document | undefined {
    const row = this.#keys().get.get(key);
    return row && this.#parse([row])[0];
  }

  getMany(keys: readonly string[]): Map<string, Document> {
    const rows = this.#parseKeyed(this.#keys().getMany.all(JSON.stringify(keys)));
    return new Map(rows.map(({ key, document }) => [key, document]));
  }

  /** How many characters of documents were read so far, or as much time was spent on counts. */
  get charactersRead(): number {
    return this.#charactersRead;
  }

  range(range: Range): RangeResult {
    const source = this.#source(range.index);
    if (range.anyOf?.length === 0) return { documents: [], isWhole: true };
    if (range.bytes !== undefined) return this.#readBounded(source, range, range.bytes);
    const { sql, values } = rangeQuery(source, range, this.#stored);
    const rows = this.#statement(sql)
      .raw()
      .all(...values) as StoredRow[];
    this.#charactersRead += rows.reduce((sum, [body]) => sum + body.length, 0);
    return { documents: this.#parse(rows), isWhole: true };
  }

  /** Returns records as stored. Parsing and printing them took a third of a list's time. */
  records(range: Range): string[] {
    if (range.anyOf?.length === 0) return [];
    const { sql, values } = rangeQuery(this.#source(range.index), range, `${this.#table}.body`);
    const bodies = this.#statement(sql)
      .pluck()
      .all(...values) as string[];
    this.#charactersRead += bodies.reduce((sum, body) => sum + body.length, 0);
    return bodies;
  }

  /** Counts documents, some in each step. The steps must be taken in one transaction. */
  *counting({ anyOf, ...part }: IndexPart): Generator<void, number> {
    const source = this.#source(part.index);
    if (!anyOf) return yield* this.#countingIn(source, part);
    // Each listed value is counted alone, because SQLite then reads only the index.
    const listed = source.fields[Object.keys(part.equals).length] ?? '';
    let count = 0;
    for (const value of anyOf) {
      const equals = { ...part.equals, [listed]: value };
      count += yield* this.#countingIn(source, { ...part, equals });
    }
    return count;
  }

  *#countingIn(source: Source, part: IndexPart): Generator<void, number> {
    let counted = 0;
    for (let after: IndexValue[] | undefined; ;) {
      const { count, next } = countQueries(source, part, after, COUNTED_IN_A_STEP);
      const last = this.#statement(next.sql)
        .raw()
        .get(...next.values) as IndexValue[] | undefined;
      if (!last || last.includes(null)) {
        const rest = this.#statement(count.sql).pluck();
        return counted + (rest.get(...count.values) as number);
      }
      after = last;
      counted += COUNTED_IN_A_STEP;
      this.#charactersRead += COUNTED_IN_A_STEP * CHARACTERS_OF_AN_ENTRY;
      yield;
    }
  }

  scan(after: string, limit: number): Row[] {
    return this.#parseKeyed(this.#keys().scan.all(after, limit));
  }

  write({ key, document, isNew }: Change): void {
    if (document === null) {
      if (!isNew) this.#keys().remove.run(key);
      return;
    }
    const body = JSON.stringify(this.#body(document));
    const values = this.#fields.map((field) => this.#valueIn(field, document[field], 'findOrAdd'));
    if (isNew) {
      // A postponed index of keys refuses a document that was created twice, when it is made.
      this.#add.run([key, body, ...values]);
      return;
    }
    const { keep, put } = this.#keys();
    if (keep.run([body, key, ...values]).changes === 0) put.run([key, body, ...values]);
  }

  /** Reads a range up to a number of bytes, and no body of a document that is not returned. */
  #readBounded(source: Source, range: Range, bytes: number): RangeResult {
    const selected = `${this.#table}.rowid, octet_length(${this.#table}.body)`;
    const { sql, values } = rangeQuery(source, range, selected);
    const sizes = this.#statement(sql)
      .raw()
      .all(...values) as [row: number, size: number][];
    let left = bytes;
    const documents: Document[] = [];
    for (const [row, size] of sizes) {
      if (documents.length > 0 && left <= 0) return { documents, isWhole: false };
      documents.push(...this.#parse(this.#row.all(row)));
      this.#charactersRead += size;
      left -= size;
    }
    return { documents, isWhole: true };
  }

  /** Returns the record of a document, or the fields that no column holds as they are. */
  #body(document: Document): Document {
    const { record } = this.definition;
    const body: Record<string, unknown> = {};
    for (const field of record ?? Object.keys(document)) {
      const value = document[field];
      const isIndexed = this.#fields.includes(field) && value !== null;
      if (record || !isIndexed || indexValueOf(value) !== value) body[field] = value;
    }
    return body;
  }

  #parseKeyed(rows: readonly KeyedRow[]): Row[] {
    const documents = this.#parse(rows.map(([, ...row]) => row));
    return documents.map((document, index) => ({ key: rows[index]?.[0] ?? '', document }));
  }

  /** Parses documents together, because that takes less time than one by one. */
  #parse(rows: readonly StoredRow[]): Document[] {
    const texts = rows.map(([body]) => body);
    const documents = JSON.parse(`[${texts.join(',')}]`) as Record<string, unknown>[];
    for (const [index, document] of documents.entries()) {
      for (const [place, field] of this.#fields.entries()) {
        const value = rows[index]?.[place + 1];
        if (value === null || field in document) continue;
        document[field] = this.#isRecurring(field) ? this.texts.textOf(Number(value)) : value;
      }
    }
    return documents;
  }

  #keys(): ByKey {
    if (this.#byKey) return this.#byKey;
    this.#make('UNIQUE INDEX', BY_KEY, ['key']);
    const updated = ['body', ...this.#fields].map(quoted);
    const updates = updated.map((column) => `${column} = excluded.${column}`).join(', ');
    const same = this.#fields.map((field) => ` AND ${quoted(field)} IS ?`).join('');
    this.#byKey = {
      get: this.db
        .prepare<[string], StoredRow>(`SELECT ${this.#stored} FROM ${this.#table} WHERE key = ?`)
        .raw(),
      // One question for all keys takes less time than one for each. The join goes by the list.
      getMany: this.db
        .prepare<[string], KeyedRow>(
          `SELECT asked.value, ${this.#stored} FROM json_each(?) AS asked CROSS JOIN ${this.#table} ON ${this.#table}.key = asked.value`,
        )
        .raw(),
      put: this.db.prepare(`${this.#insertion} ON CONFLICT (key) DO UPDATE SET ${updates}`),
      keep: this.db.prepare(`UPDATE ${this.#table} SET body = ? WHERE key = ?${same}`),
      remove: this.db.prepare(`DELETE FROM ${this.#table} WHERE key = ?`),
      scan: this.db
        .prepare<[string, number], KeyedRow>(
          `SELECT key, ${this.#stored} FROM ${this.#table} WHERE key > ? ORDER BY key ${SQL_LIMIT}`,
        )
        .raw(),
    };
    return this.#byKey;
  }

  #make(kind: string, name: string, fields: readonly string[]): void {
    const columns = fields.map(quoted).join(', ');
    this.db.exec(
      `CREATE ${kind} IF NOT EXISTS ${this.#indexName(name)} ON ${this.#table} (${columns})`,
    );
  }

  #source(index: string): Source {
    const fields = this.definition.indexes[index];
    if (!fields) throw new Error(`${this.name} has no index ${index}`);
    const valueIn: Source['valueIn'] = (field, value) => this.#valueIn(field, value, 'find');
    return { table: this.#table, index: this.#indexName(index), fields, valueIn };
  }

  /** Returns what the column of a field has for a value: a number for a recurring text. */
  #valueIn(field: string, value: unknown, lookUp: 'find' | 'findOrAdd'): IndexValue {
    const isText = typeof value === 'string' && this.#isRecurring(field);
    return isText ? this.texts[lookUp](value) : indexValueOf(value);
  }

  #isRecurring(field: string): boolean {
    return this.definition.recurring?.includes(field) === true;
  }

  #indexName(name: string): string {
    return quoted(`${this.name}.${name}`);
  }

  #statement(sql: string): Database.Statement<IndexValue[]> {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.db.prepare<IndexValue[]>(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
