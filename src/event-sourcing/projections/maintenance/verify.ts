import { isDeepStrictEqual } from 'node:util';
import { compareBytes } from '../../../kernel/text.js';
import type { Namespace, Row } from '../../read-store/read-store.js';
import type { Rebuild } from './rebuild.js';

const PAGE = 500;

export interface Difference {
  readonly collection: string;
  readonly key: string;
  readonly kind: 'missing' | 'extra' | 'different';
}

export interface Comparison {
  readonly documents: number;
  readonly differences: readonly Difference[];
}

/**
 * Returns every document in which stored read models and a fresh fold differ. Each page compares
 * one stored state with a fold up to its checkpoint, so the documents may change meanwhile.
 */
export async function compare(
  collections: readonly string[],
  fresh: Rebuild,
  stored: Namespace,
): Promise<Comparison> {
  let documents = 0;
  const differences: Difference[] = [];
  for (const collection of collections) {
    for (let after: string | undefined = ''; after !== undefined;) {
      const from: string = after;
      const { checkpoint, found } = await stored.read(async (view) => ({
        checkpoint: view.checkpoint,
        found: await view.scan(collection, from, PAGE),
      }));
      await fresh.foldTo(checkpoint);
      const expected = await fresh.writer.namespace.read((view) =>
        view.scan(collection, from, PAGE),
      );
      after = commonEnd(expected, found);
      const page = comparisonOf(collection, upTo(after, expected), upTo(after, found));
      documents += page.documents;
      differences.push(...page.differences);
    }
  }
  return { documents, differences };
}

type ByKey = ReadonlyMap<string, object>;

function comparisonOf(collection: string, should: ByKey, is: ByKey): Comparison {
  const keys = [...new Set([...should.keys(), ...is.keys()])].sort(compareBytes);
  const differences = keys.flatMap((key): Difference[] => {
    if (isDeepStrictEqual(should.get(key), is.get(key))) return [];
    const kind = !is.has(key) ? 'missing' : should.has(key) ? 'different' : 'extra';
    return [{ collection, key, kind }];
  });
  return { documents: should.size, differences };
}

function upTo(end: string | undefined, page: readonly Row[]): ByKey {
  const isHere = ({ key }: Row): boolean => end === undefined || compareBytes(key, end) <= 0;
  return new Map(page.filter(isHere).map(({ key, document }) => [key, document]));
}

/** Returns the key up to which both pages are complete; undefined when both pages are the last. */
function commonEnd(a: readonly Row[], b: readonly Row[]): string | undefined {
  const ends = [a, b].flatMap((page) => {
    const last = page.at(-1);
    return page.length === PAGE && last ? [last.key] : [];
  });
  return ends.sort(compareBytes)[0];
}
