import type { View } from '../read-store/read-store.js';
import type { Documents } from './projection.js';

/**
 * Lists that pass over some of their ordinals are paged by counting: how many items are listed in each block of ordinals,
 * and how many in each chunk of blocks. Two short rows of counts lead to any rank among millions, and a page is read from
 * the edge of its block on. A scope is a list that is counted by itself; a flag is a kind of item that is counted.
 */

/** Counts by flag: those of chunks in the document of a scope, those of blocks in the document of a chunk. */
export interface Counts extends Record<string, unknown> {
  readonly [flag: string]: unknown;
}

/** Ordinals in a block, and blocks in a chunk. */
const WIDTH = 256;
export const BLOCK_SIZE = WIDTH;
export const CHUNK_SIZE = WIDTH * WIDTH;

/** Collection of the documents of chunks. */
const CHUNKS = 'chunks';

/** The key of the document of a chunk of a scope. */
export function chunkKey(scope: string, chunk: number): string {
  return `${scope}/${chunk}`;
}

/** The counts of a flag; none before an item was counted. */
export function countsOf(counts: Counts | undefined, flag: string): readonly number[] {
  return (counts?.[flag] ?? []) as readonly number[];
}

/**
 * Changes the counts of a scope for an item.
 * @param scopes the collection of the documents of scopes.
 * @param differences by how much the count of each flag changes.
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

/** Removes the documents of counts about an ordinal that count nothing any more: that of its chunk, and that of its scope. */
export function dropEmptyCounts(
  documents: Documents,
  scopes: string,
  scope: string,
  ordinal: number,
): void {
  for (const [collection, key] of [
    [CHUNKS, chunkKey(scope, chunkOf(ordinal))],
    [scopes, scope],
  ] as const) {
    const rows = Object.values(documents.get<Counts>(collection, key) ?? {});
    if (!rows.some((row) => (row as readonly number[]).some((count) => count !== 0))) {
      documents.remove(collection, key);
    }
  }
}

/** A place in the order of ordinals: a block, and how many listed items of it come first. */
export interface Place {
  /** First ordinal of the block. */
  readonly from: number;
  /** Last ordinal of the block. */
  readonly to: number;
  /** Less than a block. */
  readonly skip: number;
}

/**
 * The place of the listed item of a rank, from 0; null when there are not that many.
 * @param chunks how many items each chunk of the scope lists.
 * @param blocksOf how many items each block of a chunk lists, by the counts of the chunk.
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

/** How many items of a dense row of ordinals are left in each part of it, without those counted. */
export function leftIn(ordinals: number, partSize: number, counted: readonly number[]): number[] {
  const counts: number[] = [];
  for (let start = 0; start < ordinals; start += partSize) {
    counts.push(Math.min(partSize, ordinals - start) - (counted[counts.length] ?? 0));
  }
  return counts;
}

/** The chunk that an ordinal is in, counted from 0. */
export function chunkOf(ordinal: number): number {
  return Math.floor(ordinal / CHUNK_SIZE);
}

/** The block that an ordinal is in, counted from 0 in its chunk. */
export function blockOf(ordinal: number): number {
  return Math.floor((ordinal % CHUNK_SIZE) / BLOCK_SIZE);
}

/** The first ordinal of a block. */
export function blockStart(chunk: number, block: number): number {
  return chunk * CHUNK_SIZE + block * BLOCK_SIZE;
}

/** Counts with one of them changed; those that are missing up to it are 0. */
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
  /** Of the count that covers the rank. */
  readonly index: number;
  /** How many are still to be passed over inside of it. */
  readonly skip: number;
}

/** Which count covers a rank, from 0, in the order asked for; null when there are not that many. */
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
