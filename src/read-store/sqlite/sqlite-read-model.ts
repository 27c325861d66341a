import Database from 'better-sqlite3';
import { Unavailable } from '../../kernel/errors.js';
import { type Position, START } from '../../kernel/position.js';
import {
  type Document,
  type DocumentWrite,
  type KeptDocument,
  type Range,
  type ReadModel,
  type ReadModelDefinition,
  StaleCheckpointError,
} from '../read-store.js';

type Value = string | number | null;

interface Row {
  key: string;
  position: Position;
  body: string;
}

interface Table {
  readonly fields: readonly string[];
  readonly get: Database.Statement<[string], Row>;
  readonly put: Database.Statement<Value[]>;
}

/** One generation of a read model: a table for each collection and a checkpoint. */
export class SqliteReadModel implements ReadModel {
  readonly #db: Database.Database;
  readonly #definition: ReadModelDefinition;
  readonly #generation: number;
  readonly #tables = new Map<string, Table>();
  readonly #ranges = new Map<string, Database.Statement<Value[], { body: string }>>();
  readonly #checkpoint: Database.Statement<[string, number], string>;
  readonly #moveCheckpoint: Database.Statement<[string, string, number, string]>;

  constructor(db: Database.Database, definition: ReadModelDefinition) {
    this.#db = db;
    this.#definition = definition;
    this.#generation = db.transaction(() => openGeneration(db, definition)).immediate();
    for (const collection of Object.keys(definition.collections)) {
      this.#tables.set(collection, this.#prepareTable(collection));
    }
    this.#checkpoint = db
      .prepare<[string, number], string>(
        'SELECT checkpoint FROM generations WHERE read_model = ? AND generation = ?',
      )
      .pluck();
    this.#moveCheckpoint = db.prepare(
      'UPDATE generations SET checkpoint = ? WHERE read_model = ? AND generation = ? AND checkpoint = ?',
    );
  }

  async checkpoint(): Promise<Position> {
    return guarded(() => this.#checkpoint.get(this.#definition.name, this.#generation) ?? START);
  }

  async get<Kept extends object = Document>(
    collection: string,
    key: string,
  ): Promise<KeptDocument<Kept> | undefined> {
    const row = guarded(() => this.#table(collection).get.get(key));
    return row && { position: row.position, document: JSON.parse(row.body) as Kept };
  }

  async getMany(collection: string, keys: readonly string[]): Promise<Map<string, KeptDocument>> {
    const { get } = this.#table(collection);
    const found = new Map<string, KeptDocument>();
    guarded(() => {
      for (const key of keys) {
        const row = get.get(key);
        if (!row) continue;
        found.set(key, { position: row.position, document: JSON.parse(row.body) as Document });
      }
    });
    return found;
  }

  async find<Kept extends object = Document>(collection: string, range: Range): Promise<Kept[]> {
    const { index, equals, from, to, limit } = range;
    const fields = this.#definition.collections[collection]?.indexes[index];
    if (!fields) throw new Error(`${collection} has no index ${index}`);
    const fixed = Object.keys(equals).length;
    const conditions = fields.slice(0, fixed).map((field) => `"${field}" = ?`);
    const values = fields.slice(0, fixed).map((field) => toValue(equals[field]));
    const next = fields[fixed] ?? '';
    if (from !== undefined) {
      conditions.push(`"${next}" >= ?`);
      values.push(from);
    }
    if (to !== undefined) {
      conditions.push(`"${next}" <= ?`);
      values.push(to);
    }
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const order = fields.map((field) => `"${field}"`).join(', ');
    const sql = `SELECT body FROM ${this.#tableName(collection)} ${where} ORDER BY ${order} LIMIT ?`;
    const rows = guarded(() => this.#rangeStatement(sql).all(...values, limit));
    return rows.map((row) => JSON.parse(row.body) as Kept);
  }

  async write(writes: readonly DocumentWrite[], from: Position, to: Position): Promise<void> {
    const { name } = this.#definition;
    guarded(() =>
      this.#db
        .transaction(() => {
          const moved = this.#moveCheckpoint.run(to, name, this.#generation, from).changes;
          if (moved === 0) throw new StaleCheckpointError(name);
          for (const { collection, key, position, document } of writes) {
            const { fields, put } = this.#table(collection);
            const columns = fields.map((field) => toValue(document[field]));
            put.run(key, position, JSON.stringify(document), ...columns);
          }
        })
        .immediate(),
    );
  }

  #prepareTable(collection: string): Table {
    const table = this.#tableName(collection);
    const fields = indexedFields(this.#definition, collection);
    const columns = ['key', 'position', 'body', ...fields].map((name) => `"${name}"`);
    const updates = columns.slice(1).map((column) => `${column} = excluded.${column}`);
    return {
      fields,
      get: this.#db.prepare(`SELECT key, position, body FROM ${table} WHERE key = ?`),
      put: this.#db.prepare(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
         ON CONFLICT (key) DO UPDATE SET ${updates.join(', ')}`,
      ),
    };
  }

  #table(collection: string): Table {
    const table = this.#tables.get(collection);
    if (!table) throw new Error(`${this.#definition.name} has no collection ${collection}`);
    return table;
  }

  #tableName(collection: string): string {
    return tableName(this.#definition.name, this.#generation, collection);
  }

  #rangeStatement(sql: string): Database.Statement<Value[], { body: string }> {
    let statement = this.#ranges.get(sql);
    if (!statement) {
      statement = this.#db.prepare<Value[], { body: string }>(sql);
      this.#ranges.set(sql, statement);
    }
    return statement;
  }
}

/** The number of the generation to serve; one in another version is dropped and folded anew. */
function openGeneration(db: Database.Database, definition: ReadModelDefinition): number {
  const { name, version } = definition;
  const existing = db
    .prepare<[string], { generation: number; version: number }>(
      'SELECT generation, version FROM generations WHERE read_model = ? ORDER BY generation DESC LIMIT 1',
    )
    .get(name);
  if (existing?.version === version) return existing.generation;
  if (existing) dropGeneration(db, name, existing.generation);
  const generation = (existing?.generation ?? 0) + 1;
  for (const collection of Object.keys(definition.collections)) {
    createTable(db, definition, generation, collection);
  }
  db.prepare(
    'INSERT INTO generations (read_model, generation, version, checkpoint) VALUES (?, ?, ?, ?)',
  ).run(name, generation, version, START);
  return generation;
}

function createTable(
  db: Database.Database,
  definition: ReadModelDefinition,
  generation: number,
  collection: string,
): void {
  const table = tableName(definition.name, generation, collection);
  const columns = indexedFields(definition, collection).map((field) => `, "${field}"`);
  db.exec(
    `CREATE TABLE ${table} (key TEXT PRIMARY KEY, position TEXT, body TEXT${columns.join('')})`,
  );
  for (const [index, fields] of Object.entries(definition.collections[collection]?.indexes ?? {})) {
    const name = tableName(definition.name, generation, `${collection}.${index}`);
    db.exec(`CREATE INDEX ${name} ON ${table} (${fields.map((field) => `"${field}"`).join(', ')})`);
  }
}

function dropGeneration(db: Database.Database, name: string, generation: number): void {
  const tables = db
    .prepare<[string], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ?",
    )
    .pluck()
    .all(`${name}/${generation}/*`);
  for (const table of tables) db.exec(`DROP TABLE "${table}"`);
  db.prepare('DELETE FROM generations WHERE read_model = ? AND generation = ?').run(
    name,
    generation,
  );
}

function tableName(readModel: string, generation: number, rest: string): string {
  return `"${readModel}/${generation}/${rest}"`;
}

function indexedFields(definition: ReadModelDefinition, collection: string): string[] {
  const indexes = Object.values(definition.collections[collection]?.indexes ?? {});
  return [...new Set(indexes.flat())];
}

function toValue(field: unknown): Value {
  if (typeof field === 'boolean') return field ? 1 : 0;
  if (typeof field === 'string' || typeof field === 'number') return field;
  return null;
}

function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof StaleCheckpointError) throw error;
    throw new Unavailable('read store', error);
  }
}
