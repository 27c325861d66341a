import type { Filter, FindOptions } from 'mongodb';
import { type Position, START } from '../../../kernel/position.js';
import type { Document, IndexPart, Range, RangeResult, Row, View } from '../read-store.js';
import { documentOf, type OpenCollection, type Stored } from './documents.js';
import { rangeQuery } from './range-query.js';
import type { SentAhead } from './sent-ahead.js';
import type { Snapshot } from './snapshot.js';

export class MongoDbView implements View {
  #foundNothing = false;

  constructor(
    readonly checkpoint: Position,
    private readonly snapshot: Snapshot,
    private readonly open: (collection: string) => OpenCollection,
    private readonly ahead: SentAhead,
  ) {}

  /** Whether a search found nothing, which the server also says of a dropped collection. */
  get foundNothing(): boolean {
    return this.#foundNothing;
  }

  async get(collection: string, key: string): Promise<Document | undefined> {
    return (await this.getMany(collection, [key])).get(key);
  }

  async getMany(collection: string, keys: readonly string[]): Promise<Map<string, Document>> {
    if (keys.length === 0) return new Map();
    const found = this.#sentAhead(collection, keys) ?? (await this.#findMany(collection, keys));
    return new Map(found.map((one) => [one._id, documentOf(one)]));
  }

  async range(collection: string, range: Range): Promise<RangeResult> {
    const { filter, options } = rangeQuery(collection, this.open(collection).definition, range);
    const documents: Document[] = [];
    let size = 0;
    for await (const answer of this.#answers(collection, filter, options)) {
      for (const found of answer) {
        if (range.bytes !== undefined && size > range.bytes) return { documents, isWhole: false };
        const document = documentOf(found);
        documents.push(document);
        if (range.bytes !== undefined) size += JSON.stringify(document).length;
      }
    }
    return { documents, isWhole: true };
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
    const [counted] = await this.snapshot.documents<{ readonly n: number }>({
      aggregate: documents.collectionName,
      pipeline: [{ $match: filter }, { $group: { _id: 1, n: { $sum: 1 } } }],
      hint: part.index,
      cursor: {},
    });
    this.#foundNothing ||= counted === undefined;
    return counted?.n ?? 0;
  }

  async scan(collection: string, after: string, limit: number): Promise<Row[]> {
    const options = { hint: '_id_', sort: { _id: 1 }, limit, batchSize: limit + 1 } as const;
    const found = await this.#find(collection, { _id: { $gt: after } }, options);
    return found.map((one) => ({ key: one._id, document: documentOf(one) }));
  }

  /** Returns the documents of keys that exist; undefined when not all keys were asked for ahead. */
  #sentAhead(collection: string, keys: readonly string[]): Stored[] | undefined {
    const sent = this.ahead.get(collection);
    if (!sent || !keys.every((key) => sent.has(key))) return undefined;
    return keys.flatMap((key) => sent.get(key) ?? []);
  }

  #findMany(collection: string, keys: readonly string[]): Promise<Stored[]> {
    // Room for one more document shows the server that none is left, so that one answer is enough.
    return this.#find(collection, { _id: { $in: [...keys] } }, { batchSize: keys.length + 1 });
  }

  async #find(collection: string, filter: Filter<Stored>, options: FindOptions): Promise<Stored[]> {
    const found: Stored[] = [];
    for await (const answer of this.#answers(collection, filter, options)) found.push(...answer);
    return found;
  }

  async *#answers(
    collection: string,
    filter: Filter<Stored>,
    options: FindOptions,
  ): AsyncGenerator<readonly Stored[], void> {
    const { documents } = this.open(collection);
    if (this.checkpoint === START || options.limit === 0) return;
    const command = { find: documents.collectionName, filter, ...options };
    let isFirst = true;
    for await (const answer of this.snapshot.answers<Stored>(command)) {
      this.#foundNothing ||= isFirst && answer.length === 0;
      isFirst = false;
      yield answer;
    }
  }
}
