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
  /** The fields by which it is ordered, as far as they differ. */
  readonly #ordered: readonly string[];
  /** The values that a field may have. */
  readonly #wanted: ReadonlyMap<string, readonly IndexValue[]>;
  readonly #bounded: string | undefined;
  readonly #direction: 1 | -1;

  /** @throws when the collection has no such index. */
  constructor(
    collection: string,
    { indexes }: CollectionDefinition,
    private readonly range: Range,
  ) {
    const { index, equals, anyOf, from, to, descending = false } = range;
    const fields = indexes[index];
    if (!fields) throw new Error(`${collection} has no index ${index}`);
    const fixed = fields.slice(0, Object.keys(equals).length);
    const [listed] = anyOf ? fields.slice(fixed.length) : [];
    const behind = fields.slice(fixed.length + (anyOf ? 1 : 0));
    this.#ordered = anyOf ? behind : fields;
    this.#wanted = new Map<string, readonly IndexValue[]>([
      ...fixed.map((field) => [field, [indexValueOf(equals[field])]] as const),
      ...(listed === undefined ? [] : [[listed, anyOf ?? []] as const]),
    ]);
    this.#bounded = from === undefined && to === undefined ? undefined : behind[0];
    this.#direction = descending ? -1 : 1;
    const bounds = {
      ...(from !== undefined && { $gte: from }),
      ...(to !== undefined && { $lte: to }),
    };
    this.filter = {
      ...Object.fromEntries(fixed.map((field) => [path(field), indexValueOf(equals[field])])),
      ...(listed !== undefined && { [path(listed)]: { $in: [...(anyOf ?? [])] } }),
      ...(this.#bounded !== undefined && { [path(this.#bounded)]: bounds }),
    };
    this.sort = Object.fromEntries(keyOf(this.#ordered).map((name) => [name, this.#direction]));
  }

  holds({ fields }: Placed): boolean {
    const { from, to } = this.range;
    for (const [field, values] of this.#wanted) {
      if (!values.includes(fields[field] ?? null)) return false;
    }
    if (this.#bounded === undefined) return true;
    const value = fields[this.#bounded] ?? null;
    if (from !== undefined && !(isAlike(value, from) && compareValues(value, from) >= 0))
      return false;
    return to === undefined || (isAlike(value, to) && compareValues(value, to) <= 0);
  }

  /** For sorting. */
  compare(a: Placed, b: Placed): number {
    for (const field of this.#ordered) {
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
