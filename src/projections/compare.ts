import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Position } from '../kernel/position.js';
import { compareBytes } from '../kernel/text.js';
import type {
  KeptDocument,
  ReadModelDefinition,
  ReadView,
  ScannedDocument,
} from '../read-store/read-store.js';
import type { DocumentRef } from './projection.js';

const PAGE = 500;

/** A document in which a read model is not what it should be. */
export interface Difference extends DocumentRef {
  readonly kind: 'missing' | 'extra' | 'different';
}

export interface Comparison {
  /** How many documents there should be. */
  readonly documents: number;
  readonly differences: readonly Difference[];
}

/** One of the two that are compared: a read model that may go on while it is read. */
export interface Examined {
  readonly view: Pick<ReadView, 'scan' | 'getMany'>;
  /** Where the right one is. The examined one is not behind it. */
  readonly upTo: Position;
  /** It does not go on: whatever is found counts. */
  readonly stands: boolean;
}

/**
 * Names every document in which what is examined is not what `right` is, be it in the position that it reflects. The
 * examined one may be ahead and go on: what has changed behind the position of `right` is left for another look, when
 * `right` has come as far.
 */
export class Comparing {
  #documents = 0;
  #differences: Difference[] = [];
  #left: DocumentRef[] = [];

  constructor(
    private readonly definition: ReadModelDefinition,
    private readonly right: ReadView,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Whether there is something to look at again. */
  get isUnsettled(): boolean {
    return this.#left.length > 0;
  }

  /** In the order of collections and keys. */
  get result(): Comparison {
    const collections = Object.keys(this.definition.collections);
    const differences = this.#differences.toSorted(
      (a, b) =>
        collections.indexOf(a.collection) - collections.indexOf(b.collection) || orderOf(a, b),
    );
    return { documents: this.#documents, differences };
  }

  /** The same so far, to go on with apart. */
  copy(): Comparing {
    const copy = new Comparing(this.definition, this.right, this.signal);
    copy.#documents = this.#documents;
    copy.#differences = [...this.#differences];
    copy.#left = [...this.#left];
    return copy;
  }

  /** Looks at every document. */
  async all(examined: Examined): Promise<void> {
    for (const collection of Object.keys(this.definition.collections)) {
      const allExpected = documentsOf(this.right, collection, this.signal);
      const allFound = documentsOf(examined.view, collection, this.signal);
      let expected = await next(allExpected);
      let found = await next(allFound);
      while (expected ?? found) {
        const order = orderOf(expected, found);
        const key = (order <= 0 ? expected : found)?.key ?? '';
        const pair = [order <= 0 ? expected : undefined, order >= 0 ? found : undefined] as const;
        this.#judge({ collection, key }, ...pair, examined);
        if (order <= 0) expected = await next(allExpected);
        if (order >= 0) found = await next(allFound);
      }
    }
  }

  /** Looks again at what was left. */
  async again(examined: Examined): Promise<void> {
    const left = this.#left;
    this.#left = [];
    for (const collection of Object.keys(this.definition.collections)) {
      const keys = left.filter((ref) => ref.collection === collection).map(({ key }) => key);
      for (let start = 0; start < keys.length; start += PAGE) {
        this.signal?.throwIfAborted();
        const page = keys.slice(start, start + PAGE);
        const expected = await this.right.getMany(collection, page);
        const found = await examined.view.getMany(collection, page);
        for (const key of page) {
          this.#judge({ collection, key }, expected.get(key), found.get(key), examined);
        }
      }
    }
  }

  #judge(
    ref: DocumentRef,
    expected: KeptDocument | undefined,
    found: KeptDocument | undefined,
    { upTo, stands }: Examined,
  ): void {
    // Of one that is not there nobody can tell when it went.
    if (!stands && (found ? found.position > upTo : expected)) {
      this.#left.push(ref);
      return;
    }
    if (expected) this.#documents += 1;
    if (!isSame(expected, found)) {
      const kind = !found ? 'missing' : expected ? 'different' : 'extra';
      this.#differences.push({ ...ref, kind });
    }
  }
}

async function* documentsOf(
  view: Pick<ReadView, 'scan'>,
  collection: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ScannedDocument, undefined> {
  let after = '';
  for (;;) {
    const page = await view.scan(collection, after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (!last) return undefined;
    after = last.key;
    await nextTurn();
    signal?.throwIfAborted();
  }
}

async function next(
  documents: AsyncGenerator<ScannedDocument, undefined>,
): Promise<ScannedDocument | undefined> {
  return (await documents.next()).value;
}

type Keyed = Pick<ScannedDocument, 'key'>;

/** Of their keys; what there is comes before what there is not. */
function orderOf(a: Keyed | undefined, b: Keyed | undefined): number {
  if (!a) return 1;
  if (!b) return -1;
  return compareBytes(a.key, b.key);
}

/** Not by the order of fields, which an earlier release may have written in another one. */
function isSame(a: KeptDocument | undefined, b: KeptDocument | undefined): boolean {
  return a?.position === b?.position && isDeepStrictEqual(a?.document, b?.document);
}
