import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { compareBy, type Filter, isOperators, type Keys, matches, type Stored } from './queries.js';
import { Refusal } from './refusal.js';

/** How long an earlier state can be read. */
const KEPT_MS = 60_000;

const BY_ID: Keys = { _id: 1 };

/** A document from one moment on; null for none. */
interface Version {
  readonly at: number;
  readonly sinceMs: number;
  readonly document: Stored | null;
}

interface Collection {
  /** The id that tells a collection from earlier ones of its name. */
  readonly uuid: string;
  readonly versions: Map<string, Version[]>;
  readonly indexes: Map<string, Keys>;
  /** The ids of the documents that have or had a value in a field that begins an index. */
  readonly byValue: Map<string, Map<unknown, Set<string>>>;
}

/** A line of the file. A restart carries all lines out again. */
type Entry =
  | { readonly put: string; readonly id: string; readonly document: Stored | null }
  | { readonly index: string; readonly name: string; readonly keys: Keys }
  | { readonly create: string; readonly uuid: string }
  | { readonly collection: string; readonly dropIndex: string }
  | { readonly drop: string };

/** All documents at each moment of the last minute. Moments are counted by commits. */
export class History {
  #now = 1;
  #collections = new Map<string, Collection>();
  #file: number | undefined;

  /** @param path a file that a restart begins from. Without it, everything is in memory alone. */
  constructor(path?: string) {
    if (path === undefined) return;
    const entries = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    for (const line of entries) this.#carryOut(JSON.parse(line) as Entry);
    this.#now += 1;
    this.#file = openSync(path, 'a');
  }

  get now(): number {
    return this.#now;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  has(collection: string): boolean {
    return this.#collections.has(collection);
  }

  names(): readonly string[] {
    return [...this.#collections.keys()];
  }

  uuidOf(collection: string): string {
    return this.#of(collection).uuid;
  }

  create(collection: string): void {
    if (!this.has(collection)) this.#do({ create: collection, uuid: randomUUID() });
  }

  drop(collection: string): void {
    this.#do({ drop: collection });
  }

  index(collection: string, name: string, keys: Keys): void {
    this.create(collection);
    if (!this.#collections.get(collection)?.indexes.has(name)) {
      this.#do({ index: collection, name, keys });
    }
  }

  dropIndex(collection: string, dropIndex: string): void {
    this.#do({ collection, dropIndex });
  }

  /** Writes documents at one moment. */
  commit(writes: Iterable<readonly [collection: string, id: string, Stored | null]>): void {
    this.#now += 1;
    for (const [put, id, document] of writes) {
      this.create(put);
      this.#do({ put, id, document });
    }
  }

  /** Gives a document at a moment. */
  at(moment: number, collection: string, id: string): Stored | undefined {
    const versions = this.#collections.get(collection)?.versions.get(id) ?? [];
    return versions.findLast((version) => version.at <= moment)?.document ?? undefined;
  }

  /** Gives the moment at which a document last changed. */
  changedAt(collection: string, id: string): number {
    return this.#collections.get(collection)?.versions.get(id)?.at(-1)?.at ?? 0;
  }

  /** Gives the documents that match, in the order of the sort, or else of their ids. */
  find(
    moment: number,
    collection: string,
    { filter, sort = BY_ID, hint }: { filter: Filter; sort?: Keys; hint?: string | undefined },
  ): Stored[] {
    const its = this.#collections.get(collection);
    if (!its) return [];
    if (hint !== undefined && hint !== '_id_' && !its.indexes.has(hint)) {
      throw new Refusal(2, `hint provided does not correspond to an existing index: ${hint}`);
    }
    const found: Stored[] = [];
    for (const id of candidates(its, filter)) {
      const document = this.at(moment, collection, id);
      if (document && matches(document, filter)) found.push(document);
    }
    return found.sort((a, b) => compareBy(sort, a, b));
  }

  #do(entry: Entry): void {
    if (this.#file !== undefined) writeSync(this.#file, `${JSON.stringify(entry)}\n`);
    this.#carryOut(entry);
  }

  #carryOut(entry: Entry): void {
    if ('drop' in entry) {
      this.#collections.delete(entry.drop);
      return;
    }
    if ('dropIndex' in entry) {
      this.#of(entry.collection).indexes.delete(entry.dropIndex);
      return;
    }
    if ('create' in entry) {
      const empty = { versions: new Map(), indexes: new Map(), byValue: new Map() };
      this.#collections.set(entry.create, { uuid: entry.uuid, ...empty });
      return;
    }
    if ('index' in entry) {
      this.#indexBy(this.#of(entry.index), entry.name, entry.keys);
      return;
    }
    const { versions, byValue } = this.#of(entry.put);
    const { id, document } = entry;
    const sinceMs = performance.now();
    const before = versions.get(id) ?? [];
    // A version may be read as long as the next one is young.
    const kept = before.filter((_, at) => {
      const next = before[at + 1];
      return !next || sinceMs - next.sinceMs < KEPT_MS;
    });
    versions.set(id, [...kept, { at: this.#now, sinceMs, document }]);
    if (document) for (const [field, ids] of byValue) addTo(ids, document[field], id);
  }

  #of(collection: string): Collection {
    const found = this.#collections.get(collection);
    if (!found) throw new Error(`there is no ${collection}`);
    return found;
  }

  #indexBy({ versions, indexes, byValue }: Collection, name: string, keys: Keys): void {
    indexes.set(name, keys);
    const [field] = Object.keys(keys);
    if (field === undefined || field === '_id' || byValue.has(field)) return;
    const ids = new Map<unknown, Set<string>>();
    for (const [id, all] of versions) {
      for (const { document } of all) if (document) addTo(ids, document[field], id);
    }
    byValue.set(field, ids);
  }
}

function addTo(ids: Map<unknown, Set<string>>, value: unknown, id: string): void {
  const some = ids.get(value) ?? new Set();
  ids.set(value, some.add(id));
}

/** Gives the ids of all documents that may match a filter. */
function candidates({ versions, byValue }: Collection, filter: Filter): Iterable<string> {
  const { _id: id } = filter;
  if (typeof id === 'string') return [id];
  if (isOperators(id) && Array.isArray(id.$in)) return id.$in as string[];
  for (const [field, ids] of byValue) {
    if (field in filter && !isOperators(filter[field])) return ids.get(filter[field]) ?? [];
  }
  return versions.keys();
}
