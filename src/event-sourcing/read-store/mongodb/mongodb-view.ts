import type { ClientSession, Filter, FindOptions } from 'mongodb';
import { type Position, START } from '../../../kernel/position.js';
import type { Document, IndexPart, Range, RangeResult, Row, View } from '../read-store.js';
import { type Call, ofOneState } from './connection.js';
import { documentOf, type OpenCollection, type Stored } from './documents.js';
import { rangeQuery } from './range-query.js';

/** A namespace as the snapshot of a session shows it. */
export class MongoDbView implements View {
  #foundNothing = false;

  constructor(
    readonly checkpoint: Position,
    private readonly session: ClientSession,
    private readonly open: (collection: string) => OpenCollection,
    private readonly call: Call,
  ) {}

  /** Whether a search found nothing. The server says the same of a collection that was dropped meanwhile. */
  get foundNothing(): boolean {
    return this.#foundNothing;
  }

  async get(collection: string, key: string): Promise<Document | undefined> {
    const [found] = await this.#find(collection, { _id: key }, { limit: 1 });
    return found && documentOf(found);
  }

  async getMany(collection: string, keys: readonly string[]): Promise<Map<string, Document>> {
    if (keys.length === 0) return new Map();
    // Room for one more document shows the server that none is left, so that one answer is enough.
    const options = { batchSize: keys.length + 1 };
    const found = await this.#find(collection, { _id: { $in: [...keys] } }, options);
    return new Map(found.map((one) => [one._id, documentOf(one)]));
  }

  async range(collection: string, range: Range): Promise<RangeResult> {
    const { filter, options } = rangeQuery(collection, this.open(collection).definition, range);
    const documents: Document[] = [];
    let size = 0;
    const rest = await this.#each(collection, filter, options, (found) => {
      if (range.bytes !== undefined && size > range.bytes) return false;
      const document = documentOf(found);
      documents.push(document);
      if (range.bytes !== undefined) size += JSON.stringify(document).length;
      return true;
    });
    return { documents, isWhole: !rest };
  }

  async records(collection: string, range: Range): Promise<string[]> {
    const { record = [] } = this.open(collection).definition;
    const { documents } = await this.range(collection, range);
    return documents.map((document) => JSON.stringify(document, [...record]));
  }

  async count(collection: string, part: IndexPart): Promise<number> {
    const { documents, definition } = this.open(collection);
    const { filter } = rangeQuery(collection, definition, { ...part, limit: 0 });
    if (this.checkpoint === START) return 0;
    const options = { hint: part.index, ...ofOneState(this.session) };
    const count = await this.call(() => documents.countDocuments(filter, options));
    this.#foundNothing ||= count === 0;
    return count;
  }

  async scan(collection: string, after: string, limit: number): Promise<Row[]> {
    const options = { hint: '_id_', sort: { _id: 1 }, limit, batchSize: limit } as const;
    const found = await this.#find(collection, { _id: { $gt: after } }, options);
    return found.map((one) => ({ key: one._id, document: documentOf(one) }));
  }

  async #find(collection: string, filter: Filter<Stored>, options: FindOptions): Promise<Stored[]> {
    const found: Stored[] = [];
    await this.#each(collection, filter, options, (one) => found.push(one) > 0);
    return found;
  }

  /** Calls `take` with each document. @returns whether `take` ended the loop by returning false. */
  async #each(
    collection: string,
    filter: Filter<Stored>,
    options: FindOptions,
    take: (found: Stored) => boolean,
  ): Promise<boolean> {
    const { documents } = this.open(collection);
    if (this.checkpoint === START || options.limit === 0) return false;
    const cursor = documents.find(filter, { ...options, ...ofOneState(this.session) });
    let isFirst = true;
    try {
      for (;;) {
        const next = await this.call(() => cursor.next());
        if (!next) {
          this.#foundNothing ||= isFirst;
          return false;
        }
        isFirst = false;
        for (const one of [next, ...cursor.readBufferedDocuments()]) if (!take(one)) return true;
      }
    } finally {
      // A cursor that is left open ends with its session.
      cursor.close().catch(() => undefined);
    }
  }
}
