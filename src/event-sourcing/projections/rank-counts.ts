import type { View } from '../read-store/read-store.js';
import type { Documents } from './projection.js';

/**
 * Counts find the page at a rank of a list that skips some ordinals. The counts say how many items are listed in each
 * block of ordinals, and in each chunk of blocks. Among millions of items, one row of counts leads to the chunk of a
 * rank, and a second row to the block. The page is then read from the edge of the block. A scope is a list with counts
 * of its own. A flag is a kind of item that is counted.
 */

/** A row of counts for each flag. The document of a scope counts by chunk; the document of a chunk counts by block. */
export interface Counts extends Record<string, unknown> {
  readonly [flag: string]: unknown;
}

/** The number of ordinals in a block, and of blocks in a chunk. */
const WIDTH = 256;
export const BLOCK_SIZE = WIDTH;
export const CHUNK_SIZE = WIDTH * WIDTH;

/** The name of the collection that holds the documents of chunks. */
const CHUNKS = 'chunks';

/** Returns the key of the document that has the counts of one chunk of a scope. */
export function chunkKey(scope: string, chunk: number): string {
  return `${scope}/${chunk}`;
}

/** Returns the counts of a flag; an empty row before the first item was counted. */
export function countsOf(counts: Counts | undefined, flag: string): readonly number[] {
  return (counts?.[flag] ?? []) as readonly number[];
}

/**
 * Changes the counts of a scope for the item at an ordinal.
 * @param scopes the name of the collection that holds the documents of scopes.
 * @param differences the number to add to the count, by flag.
 */
export function recount(
  documents: Documents,
  scopes: string,
  scope: string,
  ordinal: number,
  differences: Readonly<Record<string, number>>,
): void {
  const recountIn = (collection: string, key: string, index: number): void => {
    const counts = documents.get<Counts>(collection, key);
    const changed: Record<string, readonly number[]> = {};
    for (const [flag, difference] of Object.entries(differences)) {
      changed[flag] = recounted(countsOf(counts, flag), index, difference);
    }
    documents.set(collection, key, { ...counts, ...changed });
  };
  const chunk = chunkOf(ordinal);
  recountIn(CHUNKS, chunkKey(scope, chunk), blockOf(ordinal));
  recountIn(scopes, scope, chunk);
}

/** The place of a listed item: a block, and the number of listed items that come before the item in the block. */
export interface Place {
  /** The first ordinal of the block. */
  readonly from: number;
  /** The last ordinal of the block. */
  readonly to: number;
  /** How many listed items of the block at the place come before the wanted one; less than `BLOCK_SIZE`. */
  readonly skip: number;
}

/**
 * Finds the place of the listed item with a rank, which counts from 0; null when the list has fewer items.
 * @param chunks the number of listed items in each chunk of the scope.
 * @param blocksOf returns the number of listed items in each block of a chunk, from the counts of the chunk.
 */
export async function placeOfRank(
  view: Pick<View, 'get'>,
  scope: string,
  rank: number,
  order: 'ascending' | 'descending',
  chunks: readonly number[],
  blocksOf: (counts: Counts | undefined, chunk: number) => readonly number[],
): Promise<Place | null> {
  const chunk = seek(chunks, rank, order);
  if (!chunk) return null;
  const counts = await view.get<Counts>(CHUNKS, chunkKey(scope, chunk.index));
  const block = seek(blocksOf(counts, chunk.index), chunk.skip, order);
  if (!block) throw new Error(`the counts of ${scope} contradict each other`);
  const from = blockStart(chunk.index, block.index);
  return { from, to: from + BLOCK_SIZE - 1, skip: block.skip };
}

/** Divides ordinals without gaps into parts. @returns for each part, its size minus its count in `counted`. */
export function leftIn(ordinals: number, partSize: number, counted: readonly number[]): number[] {
  const counts: number[] = [];
  for (let start = 0; start < ordinals; start += partSize) {
    counts.push(Math.min(partSize, ordinals - start) - (counted[counts.length] ?? 0));
  }
  return counts;
}

/** Returns the chunk that an ordinal is in, counted from 0. */
export function chunkOf(ordinal: number): number {
  return Math.floor(ordinal / CHUNK_SIZE);
}

/** Returns the block that an ordinal is in, counted from 0 in its chunk. */
export function blockOf(ordinal: number): number {
  return Math.floor((ordinal % CHUNK_SIZE) / BLOCK_SIZE);
}

/** Returns the first ordinal of a block. */
export function blockStart(chunk: number, block: number): number {
  return chunk * CHUNK_SIZE + block * BLOCK_SIZE;
}

/** Returns the counts with `change` added to the count at `index`. Missing counts before `index` become 0. */
export function recounted(counts: readonly number[], index: number, change: number): number[] {
  const changed = [...counts];
  while (changed.length <= index) changed.push(0);
  changed[index] = (changed[index] ?? 0) + change;
  return changed;
}

export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

export interface Sought {
  /** The index of the count that covers the rank. */
  readonly index: number;
  /** The number of items to skip within that count. */
  readonly skip: number;
}

/** Finds the count that covers a rank, which counts from 0 in the given order; null when there are fewer items. */
export function seek(
  counts: readonly number[],
  rank: number,
  order: 'ascending' | 'descending',
): Sought | null {
  let skip = rank;
  for (let step = 0; step < counts.length; step++) {
    const index = order === 'ascending' ? step : counts.length - 1 - step;
    const count = counts[index] ?? 0;
    if (skip < count) return { index, skip };
    skip -= count;
  }
  return null;
}
