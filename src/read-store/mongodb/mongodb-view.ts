import type { Collection, Filter, FindOptions } from 'mongodb';
import { Unavailable } from '../../kernel/errors.js';
import type { Position } from '../../kernel/position.js';
import { asIndexed, indexedFields } from '../index-value.js';
import type {
  CollectionDefinition,
  Document,
  KeptDocument,
  Part,
  Range,
  ReadView,
  ScannedDocument,
} from '../read-store.js';
import type { Attempts } from './attempts.js';
import type { GenerationRecord } from './generation-record.js';
import { IndexRange, type Placed } from './index-range.js';
import { Overtaken } from './overtaken.js';
import {
  type DocumentVersion,
  fieldsOf,
  keptDocument,
  type StoredDocument,
  visibleVersion,
} from './stored-document.js';

/** Left to itself the server gives a hundred documents, and must be asked again for the rest. */
const IN_AN_ANSWER = 1_000;

/** What was dropped or cleared is taken away only after much longer than a view is read. */
const LIVES_MS = 10_000;
/** More documents than that in a batch under way are not gone through; the read begins anew. */
const MOST_UNDER_WAY = 10_000;
/** How many more documents are fetched than asked for, in place of those that cannot be seen. */
const SPARE = 16;

export interface OpenCollection {
  readonly definition: CollectionDefinition;
  readonly stored: Collection<StoredDocument>;
}

interface Found extends Placed {
  readonly version: DocumentVersion;
}

/** A generation as it was at one commit: what was written since is passed over. */
export class MongoDbView implements ReadView {
  /** @param began when its record was asked for. */
  constructor(
    private readonly record: GenerationRecord,
    private readonly began: number,
    private readonly open: (collection: string) => OpenCollection,
  ) {}

  async checkpoint(): Promise<Position> {
    return this.record.checkpoint;
  }

  async get<Kept extends object = Document>(
    collection: string,
    key: string,
  ): Promise<KeptDocument<Kept> | undefined> {
    const { stored } = this.open(collection);
    const found = await stored.findOne({ _id: key });
    this.#checkAge();
    return found ? keptDocument<Kept>(this.#visible(found)) : undefined;
  }

  async getMany(collection: string, keys: readonly string[]): Promise<Map<string, KeptDocument>> {
    const { stored } = this.open(collection);
    const found = await all(stored, { _id: { $in: [...keys] } });
    this.#checkAge();
    const kept = found.map((one) => [one._id, keptDocument(this.#visible(one))] as const);
    return new Map(kept.flatMap(([key, one]) => (one ? [[key, one]] : [])));
  }

  async find<Kept extends object = Document>(collection: string, range: Range): Promise<Kept[]> {
    return (await this.findPart<Kept>(collection, range, Infinity)).documents;
  }

  async findPart<Kept extends object = Document>(
    collection: string,
    range: Range,
    bytes: number,
  ): Promise<Part<Kept>> {
    const { definition, stored } = this.open(collection);
    const index = new IndexRange(collection, definition, range);
    const { skip = 0, limit } = range;
    const found = await this.#inRange(stored, index, skip + limit);
    // Afterwards, so that what left the range before it was looked at is found here.
    await this.#addChanged(found, stored, definition, index);
    this.#checkAge();
    const inOrder = [...found.values()].sort((a, b) => index.compare(a, b));
    return firstOf<Kept>(inOrder.slice(skip, skip + limit), bytes);
  }

  async scan(collection: string, after: string, limit: number): Promise<ScannedDocument[]> {
    const { stored } = this.open(collection);
    const page: ScannedDocument[] = [];
    let last = after;
    while (page.length < limit) {
      const room = limit - page.length + SPARE;
      const found = await all(stored, { _id: { $gt: last } }, { sort: { _id: 1 }, limit: room });
      this.#checkAge();
      page.push(...found.flatMap((one) => this.#scanned(one)));
      last = found.at(-1)?._id ?? last;
      if (found.length < room) break;
    }
    return page.slice(0, limit);
  }

  /** The first documents of a range that can be seen, if they have not changed since; by key. */
  async #inRange(
    stored: Collection<StoredDocument>,
    index: IndexRange,
    wanted: number,
  ): Promise<Map<string, Found>> {
    for (let room = wanted + SPARE; ; room *= 4) {
      const candidates = await all(stored, index.filter, { sort: index.sort, limit: room });
      const found = new Map<string, Found>();
      for (const one of candidates) {
        if (one.body === null || visibleVersion(one, this.record) !== one) continue;
        found.set(one._id, { key: one._id, fields: one.fields, version: one });
      }
      if (found.size >= wanted || candidates.length < room) return found;
    }
  }

  /** Adds documents that have changed since, as they were before. */
  async #addChanged(
    found: Map<string, Found>,
    stored: Collection<StoredDocument>,
    definition: CollectionDefinition,
    index: IndexRange,
  ): Promise<void> {
    const changed = await all(stored, changedSince(this.record), { limit: MOST_UNDER_WAY });
    if (changed.length === MOST_UNDER_WAY) throw new Overtaken();
    const indexed = indexedFields(definition);
    for (const one of changed) {
      if (found.has(one._id)) continue;
      const version = this.#visible(one);
      const document = keptDocument(version)?.document;
      if (!version || !document) continue;
      const placed = { key: one._id, fields: fieldsOf(document, indexed) };
      if (index.holds(placed)) found.set(one._id, { ...placed, version });
    }
  }

  /** A field that its index has otherwise is given as that has it. */
  #scanned(stored: StoredDocument): ScannedDocument[] {
    const version = this.#visible(stored);
    const kept = keptDocument(version);
    if (!kept) return [];
    const document = asIndexed(kept.document, version === stored ? stored.fields : {});
    return [{ key: stored._id, position: kept.position, document }];
  }

  #visible(stored: StoredDocument): DocumentVersion | null {
    const version = visibleVersion(stored, this.record);
    if (version === undefined) throw new Overtaken();
    return version;
  }

  #checkAge(): void {
    if (performance.now() - this.began <= LIVES_MS) return;
    // Whoever waited for it was told so before: it must not be read again for nobody.
    throw new Unavailable('read store', `it was read for more than ${LIVES_MS / 1_000} s`);
  }
}

/** What is left of them is not parsed, which is most of what a large document costs. */
function firstOf<Kept extends object>(found: readonly Found[], bytes: number): Part<Kept> {
  const documents: Kept[] = [];
  let size = 0;
  for (const { version } of found) {
    if (size > bytes) return { documents, isWhole: false };
    const kept = keptDocument<Kept>(version);
    if (kept) documents.push(kept.document);
    size += version.body?.length ?? 0;
  }
  return { documents, isWhole: true };
}

function all(
  stored: Collection<StoredDocument>,
  filter: Filter<StoredDocument>,
  options: Pick<FindOptions, 'sort' | 'limit'> = {},
): Promise<StoredDocument[]> {
  return stored.find(filter, { ...options, batchSize: IN_AN_ANSWER }).toArray();
}

/** Documents of which the newest version cannot be seen. */
function changedSince({ committed, aborted }: Attempts): Filter<StoredDocument> {
  const newer = { attempt: { $gt: committed } };
  if (aborted.length === 0) return newer;
  const ranges = aborted.map(({ first, last }) => ({ attempt: { $gte: first, $lte: last } }));
  return { $or: [newer, ...ranges] };
}
