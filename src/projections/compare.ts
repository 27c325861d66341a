import { isDeepStrictEqual } from 'node:util';
import { compareBytes } from '../kernel/text.js';
import type { Namespace, Row, View } from '../read-store/read-store.js';
import type { Projector } from './projector.js';

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

/** Where the next page of a comparison begins, in each of the two. */
interface Place {
  readonly after: string;
  readonly isEnd: boolean;
}

/**
 * Names every document in which a stored read model is not what a fresh fold makes. The stored one may go on meanwhile:
 * each page is read of one state of it, to whose checkpoint the fresh one is brought first.
 * @param bringTo folds the fresh one up to a checkpoint.
 */
export async function compare(
  fresh: Projector,
  stored: Namespace,
  bringTo: (checkpoint: string) => Promise<void>,
): Promise<Comparison> {
  let documents = 0;
  const differences: Difference[] = [];
  for (const collection of Object.keys(fresh.projection.collections)) {
    let place: Place = { after: '', isEnd: false };
    while (!place.isEnd) {
      const { after } = place;
      const page = await stored.read(async (view) => {
        await bringTo(view.checkpoint);
        return fresh.namespace.read((expected) => pageOf(collection, after, expected, view));
      });
      documents += page.documents;
      differences.push(...page.differences);
      place = page.next;
    }
  }
  return { documents, differences };
}

interface Page extends Comparison {
  readonly next: Place;
}

async function pageOf(
  collection: string,
  after: string,
  right: View,
  examined: View,
): Promise<Page> {
  const expected = await right.scan(collection, after, PAGE);
  const found = await examined.scan(collection, after, PAGE);
  const end = commonEnd(expected, found);
  const isHere = ({ key }: Row): boolean => end === undefined || compareBytes(key, end) <= 0;
  const should = new Map(expected.filter(isHere).map(({ key, document }) => [key, document]));
  const is = new Map(found.filter(isHere).map(({ key, document }) => [key, document]));
  const keys = [...new Set([...should.keys(), ...is.keys()])].sort(compareBytes);
  const differences = keys.flatMap((key): Difference[] => {
    if (isDeepStrictEqual(should.get(key), is.get(key))) return [];
    const kind = !is.has(key) ? 'missing' : should.has(key) ? 'different' : 'extra';
    return [{ collection, key, kind }];
  });
  return {
    documents: should.size,
    differences,
    next: { after: end ?? '', isEnd: end === undefined },
  };
}

/** The key up to which both pages are whole; undefined when both are the last ones. */
function commonEnd(a: readonly Row[], b: readonly Row[]): string | undefined {
  const ends = [a, b].flatMap((page) => {
    const last = page.at(-1);
    return page.length === PAGE && last ? [last.key] : [];
  });
  return ends.sort(compareBytes)[0];
}
