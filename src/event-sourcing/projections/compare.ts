import { isDeepStrictEqual } from 'node:util';
import { compareBytes } from '../../kernel/text.js';
import type { Namespace, Row, View } from '../read-store/read-store.js';
import type { Projector } from './projector.js';

const PAGE = 500;

/** A document that differs between a stored read model and a fresh fold. */
export interface Difference {
  readonly collection: string;
  readonly key: string;
  readonly kind: 'missing' | 'extra' | 'different';
}

export interface Comparison {
  /** The number of documents in the fresh fold. */
  readonly documents: number;
  readonly differences: readonly Difference[];
}

/** The place where the next page of a comparison begins, in both read models. */
interface Place {
  readonly after: string;
  readonly isEnd: boolean;
}

/**
 * Returns every document that differs between a stored read model and a fresh fold. Each page compares one state of the
 * stored read model, after `bringTo` has brought the fresh fold to the checkpoint of that state. So the stored read
 * model may change meanwhile.
 * @param bringTo brings the fresh fold up to a checkpoint.
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

/** Returns the key up to which both pages are complete; undefined when both pages are the last. */
function commonEnd(a: readonly Row[], b: readonly Row[]): string | undefined {
  const ends = [a, b].flatMap((page) => {
    const last = page.at(-1);
    return page.length === PAGE && last ? [last.key] : [];
  });
  return ends.sort(compareBytes)[0];
}
