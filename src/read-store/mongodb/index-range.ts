import type { Filter, Sort } from 'mongodb';
import { compareBytes } from '../../kernel/text.js';
import { type IndexValue, indexValueOf } from '../index-value.js';
import type { CollectionDefinition, Range } from '../read-store.js';
import type { StoredDocument } from './stored-document.js';
import { compareValues, type Fields } from './values.js';

/** A document's place in an index. */
export interface Placed {
  readonly key: string;
  readonly fields: Fields;
}

/** A range of an index, as a query of the server and as a rule for one document. */
export class IndexRange {
  readonly filter: Filter<StoredDocument>;
  readonly sort: Sort;
  readonly #fields: readonly string[];
  readonly #equals: Readonly<Record<string, IndexValue>>;
  readonly #bounded: string | undefined;
  readonly #direction: 1 | -1;

  /** @throws when the collection has no such index. */
  constructor(
    collection: string,
    { indexes }: CollectionDefinition,
    private readonly range: Range,
  ) {
    const { index, equals, from, to, descending = false } = range;
    const fields = indexes[index];
    if (!fields) throw new Error(`${collection} has no index ${index}`);
    const fixed = fields.slice(0, Object.keys(equals).length);
    this.#fields = fields;
    this.#equals = Object.fromEntries(fixed.map((field) => [field, indexValueOf(equals[field])]));
    this.#bounded = from === undefined && to === undefined ? undefined : fields[fixed.length];
    this.#direction = descending ? -1 : 1;
    const bounds = {
      ...(from !== undefined && { $gte: from }),
      ...(to !== undefined && { $lte: to }),
    };
    this.filter = {
      ...Object.fromEntries(fixed.map((field) => [path(field), indexValueOf(equals[field])])),
      ...(this.#bounded !== undefined && { [path(this.#bounded)]: bounds }),
    };
    this.sort = Object.fromEntries(keyOf(fields).map((name) => [name, this.#direction]));
  }

  holds({ fields }: Placed): boolean {
    const { from, to } = this.range;
    const fixed = Object.entries(this.#equals);
    if (!fixed.every(([field, value]) => fields[field] === value)) return false;
    if (this.#bounded === undefined) return true;
    const value = fields[this.#bounded] ?? null;
    if (from !== undefined && !(isAlike(value, from) && compareValues(value, from) >= 0))
      return false;
    return to === undefined || (isAlike(value, to) && compareValues(value, to) <= 0);
  }

  /** For sorting. */
  compare(a: Placed, b: Placed): number {
    for (const field of this.#fields) {
      const order = compareValues(a.fields[field] ?? null, b.fields[field] ?? null);
      if (order !== 0) return order * this.#direction;
    }
    return compareBytes(a.key, b.key) * this.#direction;
  }
}

/** What the server's index over fields of the documents covers: the key makes its order total. */
export function keyOf(fields: readonly string[]): string[] {
  return [...fields.map(path), '_id'];
}

function path(field: string): string {
  return `fields.${field}`;
}

/** A bound speaks of values of its own type. */
function isAlike(value: IndexValue, bound: string | number): boolean {
  return typeof value === typeof bound;
}
