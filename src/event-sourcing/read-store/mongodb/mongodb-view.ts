import type { ClientSession, Filter, FindOptions } from 'mongodb';
import { type Position, START } from '../../../kernel/position.js';
import { asIndexed } from '../index-value.js';
import type { Document, Range, RangeResult, Row as KeptRow, View } from '../read-store.js';
import { type Call, readIn } from './connection.js';
import { rangeQuery } from './range-query.js';
import { begunAt, BY_KEY, type OpenCollection, type Row, visibleAt } from './rows.js';
import type { NamespaceRecord } from './namespace-record.js';

/** The ids of the rows that a fold read, by collection and key. Null means that the document does not exist. */
export type RowsRead = Map<string, Map<string, string | null>>;

/** Called for each document that is read, with the id of its row; null when the document does not exist. */
type Note = (collection: string, key: string, id: string | null) => void;

/** A namespace as it was at the checkpoint of one record. */
export class MongoDbView implements View {
  readonly checkpoint: Position;

  /** @param session sees the record's state, or a later state. @param note notes what the fold of a batch reads. */
  constructor(
    private readonly record: NamespaceRecord,
    private readonly session: ClientSession,
    private readonly open: (collection: string) => OpenCollection,
    private readonly call: Call,
    private readonly note: Note = () => undefined,
  ) {
    this.checkpoint = record.checkpoint;
  }

  async get<Kept extends object = Document>(
    collection: string,
    key: string,
  ): Promise<Kept | undefined> {
    // The newest row decides, even when it has ended, so that the query need not read older rows.
    const newest = { hint: BY_KEY, sort: { from: -1 }, limit: 1 } as const;
    const filter = { key, ...begunAt(this.record) };
    const [row] = await this.#find(collection, filter, newest);
    const visible = row && row.to > this.checkpoint ? row : undefined;
    this.note(collection, key, visible?._id ?? null);
    return visible && documentOf<Kept>(visible);
  }

  async getMany(collection: string, keys: readonly string[]): Promise<Map<string, Document>> {
    if (keys.length === 0) return new Map();
    const filter = { key: { $in: [...keys] }, ...visibleAt(this.record) };
    // Room for one more row shows the server that no row is left, so that one answer is enough.
    const options = { hint: BY_KEY, batchSize: keys.length + 1 };
    const rows = await this.#find(collection, filter, options);
    for (const key of keys) this.note(collection, key, null);
    for (const { key, _id } of rows) this.note(collection, key, _id);
    return new Map(rows.map((row) => [row.key, documentOf(row)]));
  }

  async range<Kept extends object = Document>(
    collection: string,
    range: Range,
  ): Promise<RangeResult<Kept>> {
    const { filter, options } = rangeQuery(collection, this.open(collection).definition, range);
    const visible = { ...filter, ...visibleAt(this.record) };
    const { bytes = Infinity } = range;
    const documents: Kept[] = [];
    let size = 0;
    const rest = await this.#each(collection, visible, options, (row) => {
      if (size > bytes) return false;
      this.note(collection, row.key, row._id);
      documents.push(documentOf<Kept>(row));
      size += row.body.length;
      return true;
    });
    return { documents, isWhole: !rest };
  }

  async scan<Kept extends object = Document>(
    collection: string,
    after: string,
    limit: number,
  ): Promise<KeptRow<Kept>[]> {
    const filter = { key: { $gt: after }, ...visibleAt(this.record) };
    const options = { hint: BY_KEY, sort: { key: 1, from: -1 }, limit, batchSize: limit } as const;
    const rows = await this.#find(collection, filter, options);
    return rows.map((row) => {
      this.note(collection, row.key, row._id);
      // Where a field differs from its index, the document gets the value in the index.
      return { key: row.key, document: asIndexed(documentOf(row), row.fields) as Kept };
    });
  }

  async #find(collection: string, filter: Filter<Row>, options: FindOptions): Promise<Row[]> {
    const rows: Row[] = [];
    await this.#each(collection, filter, options, (row) => rows.push(row) > 0);
    return rows;
  }

  /** Calls `take` with each row. @returns whether `take` ended the loop by returning false. */
  async #each(
    collection: string,
    filter: Filter<Row>,
    options: FindOptions,
    take: (row: Row) => boolean,
  ): Promise<boolean> {
    const { rows } = this.open(collection);
    if (this.checkpoint === START || options.limit === 0) return false;
    const cursor = rows.find(filter, { ...options, ...readIn(this.session) });
    try {
      for (;;) {
        const row = await this.call(() => cursor.next());
        if (!row) return false;
        for (const one of [row, ...cursor.readBufferedDocuments()]) if (!take(one)) return true;
      }
    } finally {
      // A cursor that is left open ends with its session.
      cursor.close().catch(() => undefined);
    }
  }
}

function documentOf<Kept extends object = Document>({ body }: Row): Kept {
  return JSON.parse(body) as Kept;
}
