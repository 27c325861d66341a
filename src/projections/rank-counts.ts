/**
 * Lists that pass over some of their ordinals are paged by counting: how many are listed in each block of ordinals,
 * and how many in each chunk of blocks. Two short rows of counts lead to any rank among millions, and a page is read
 * from the edge of its block on.
 */

/** Ordinals in a block, and blocks in a chunk. */
const WIDTH = 256;
export const BLOCK_SIZE = WIDTH;
export const CHUNK_SIZE = WIDTH * WIDTH;

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
export function recounted(
  counts: readonly number[] | undefined,
  index: number,
  change: number,
): number[] {
  const changed = [...(counts ?? [])];
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
