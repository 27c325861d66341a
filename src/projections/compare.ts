import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadModelDefinition, ReadView, ScannedDocument } from '../read-store/read-store.js';

const PAGE = 500;

/** A document in which a read model is not what it should be. */
export interface Difference {
  readonly collection: string;
  readonly key: string;
  readonly kind: 'missing' | 'extra' | 'different';
}

export interface Comparison {
  /** How many documents there should be. */
  readonly documents: number;
  readonly differences: readonly Difference[];
}

/** Names every document in which `examined` is not what `right` is, be it in the position that it reflects. */
export async function compare(
  { collections }: ReadModelDefinition,
  right: ReadView,
  examined: ReadView,
  signal?: AbortSignal,
): Promise<Comparison> {
  let documents = 0;
  const differences: Difference[] = [];
  for (const collection of Object.keys(collections)) {
    const allExpected = documentsOf(right, collection, signal);
    const allFound = documentsOf(examined, collection, signal);
    let expected = await next(allExpected);
    let found = await next(allFound);
    while (expected ?? found) {
      const order = orderOf(expected, found);
      if (order === 0 && isSame(expected, found)) {
        documents += 1;
      } else if (order <= 0 && expected) {
        documents += 1;
        const kind = order === 0 ? 'different' : 'missing';
        differences.push({ collection, key: expected.key, kind });
      } else if (found) {
        differences.push({ collection, key: found.key, kind: 'extra' });
      }
      if (order <= 0) expected = await next(allExpected);
      if (order >= 0) found = await next(allFound);
    }
  }
  return { documents, differences };
}

async function* documentsOf(
  view: ReadView,
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

/** Of their keys; what there is comes before what there is not. */
function orderOf(a: ScannedDocument | undefined, b: ScannedDocument | undefined): number {
  if (!a) return 1;
  if (!b) return -1;
  // Bytes of UTF-8 are in the order of code points, which `<` is not.
  return Buffer.compare(Buffer.from(a.key), Buffer.from(b.key));
}

function isSame(a: ScannedDocument | undefined, b: ScannedDocument | undefined): boolean {
  return a?.position === b?.position && JSON.stringify(a?.document) === JSON.stringify(b?.document);
}
