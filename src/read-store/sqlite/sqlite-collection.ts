import type Database from 'better-sqlite3';
import type { Position } from '../../kernel/position.js';
import type {
  CollectionDefinition,
  Document,
  DocumentWrite,
  KeptDocument,
  Range,
} from '../read-store.js';

type Value = string | number | null;

interface Row {
  position: Position;
  body: string;
}

interface Indexed {
  readonly get: Database.Statement<[string], Row>;
  readonly put: Database.Statement<Value[]>;
}

/**
 * A collection as a table of JSON documents, whose indexed fields are columns. It gets its indexes when the
 * first document is looked up or replaced: until then, in the long replay of a log, new documents are added
 * at a fraction of the cost, and one sort makes each index.
 */
export class SqliteCollection {
  readonly #fields: readonly string[];
  readonly #add: Database.Statement<Value[]>;
  readonly #ranges = new Map<string, Database.Statement<Value[], string>>();
  #prepared: Indexed | undefined;

  /** @param name of the table, not quoted; it is made when it does not exist. */
  constructor(
    private readonly db: Database.Database,
    private readonly name: string,
    private readonly definition: CollectionDefinition,
  ) {
    this.#fields = [...new Set(Object.values(definition.indexes).flat())];
    const columns = ['key', 'position', 'body', ...this.#fields].map(quoted);
    db.exec(`CREATE TABLE IF NOT EXISTS ${quoted(name)} (${columns.join(', ')})`);
    this.#add = db.prepare(this.#insertion());
  }

  get<Kept extends object>(key: string): KeptDocument<Kept> | undefined {
    const row = this.#indexed().get.get(key);
    return row && { position: row.position, document: JSON.parse(row.body) as Kept };
  }

  find<Kept extends object>({ index, equals, from, to, limit }: Range): Kept[] {
    const fields = this.definition.indexes[index];
    if (!fields) throw new Error(`${this.name} has no index ${index}`);
    const fixed = Object.keys(equals).length;
    const conditions = fields.slice(0, fixed).map((field) => `${quoted(field)} = ?`);
    const values = fields.slice(0, fixed).map((field) => toValue(equals[field]));
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
    const order = fields.map(quoted).join(', ');
    const sql = `SELECT body FROM ${quoted(this.name)} ${where} ORDER BY ${order} LIMIT ?`;
    this.#indexed();
    return this.#range(sql)
      .all(...values, limit)
      .map((body) => JSON.parse(body) as Kept);
  }

  write({ key, position, document, isNew }: DocumentWrite): void {
    const put = isNew && !this.#prepared ? this.#add : this.#indexed().put;
    put.run(key, position, JSON.stringify(document), ...this.#values(document));
  }

  /** Makes the indexes, if they are not there. */
  index(): void {
    this.#indexed();
  }

  #indexed(): Indexed {
    return (this.#prepared ??= this.#makeIndexes());
  }

  #makeIndexes(): Indexed {
    const table = quoted(this.name);
    const make = (kind: string, name: string, fields: readonly string[]): void => {
      const columns = fields.map(quoted).join(', ');
      const index = quoted(`${this.name}.${name}`);
      this.db.exec(`CREATE ${kind} IF NOT EXISTS ${index} ON ${table} (${columns})`);
    };
    make('UNIQUE INDEX', 'key', ['key']);
    for (const [name, fields] of Object.entries(this.definition.indexes)) {
      make('INDEX', name, fields);
    }
    const updated = ['position', 'body', ...this.#fields].map(quoted);
    const updates = updated.map((column) => `${column} = excluded.${column}`).join(', ');
    return {
      get: this.db.prepare(`SELECT position, body FROM ${table} WHERE key = ?`),
      put: this.db.prepare(`${this.#insertion()} ON CONFLICT (key) DO UPDATE SET ${updates}`),
    };
  }

  #insertion(): string {
    const marks = Array(this.#fields.length + 3).fill('?');
    return `INSERT INTO ${quoted(this.name)} VALUES (${marks.join(', ')})`;
  }

  #values(document: Document): Value[] {
    return this.#fields.map((field) => toValue(document[field]));
  }

  #range(sql: string): Database.Statement<Value[], string> {
    let statement = this.#ranges.get(sql);
    if (!statement) {
      statement = this.db.prepare<Value[], string>(sql).pluck();
      this.#ranges.set(sql, statement);
    }
    return statement;
  }
}

function quoted(name: string): string {
  return `"${name}"`;
}

function toValue(field: unknown): Value {
  if (typeof field === 'boolean') return field ? 1 : 0;
  if (typeof field === 'string' || typeof field === 'number') return field;
  return null;
}
