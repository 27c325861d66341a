/**
 * Counts find the page at a rank of a list that skips some ordinals. They say how many items are
 * listed in each block of ordinals, so a page is read from the edge of its block, at any depth.
 */

export const BLOCK_SIZE = 1_024;

/** The place of a listed item: its block's ordinals, and how many listed ones come before it. */
export interface Place {
  readonly from: number;
  readonly to: number;
  /** Less than `BLOCK_SIZE`; 0 in a block that is listed whole, as the item's ordinal is known. */
  readonly skip: number;
}

/**
 * Finds the place of the listed item with a rank, which counts from 0; null in a shorter list.
 * @param counts the number of listed items in each block.
 * @param ordinals how many ordinals there are. Default: as many as fit into the blocks.
 */
export function placeOfRank(
  counts: readonly number[],
  rank: number,
  order: 'ascending' | 'descending',
  ordinals = counts.length * BLOCK_SIZE,
): Place | null {
  let skip = rank;
  for (let step = 0; step < counts.length; step++) {
    const block = order === 'ascending' ? step : counts.length - 1 - step;
    const count = counts[block] ?? 0;
    if (skip >= count) {
      skip -= count;
      continue;
    }
    const from = block * BLOCK_SIZE;
    const to = Math.min(from + BLOCK_SIZE, ordinals) - 1;
    if (count <= to - from) return { from, to, skip };
    if (order === 'ascending') return { from: from + skip, to, skip: 0 };
    return { from, to: to - skip, skip: 0 };
  }
  return null;
}

/** Divides ordinals without gaps into blocks. @returns the size of each, less its `counted`. */
export function complementOf(ordinals: number, counted: readonly number[]): number[] {
  const blocks = Array.from({ length: Math.ceil(ordinals / BLOCK_SIZE) });
  return blocks.map(
    (_, block) => Math.min(BLOCK_SIZE, ordinals - block * BLOCK_SIZE) - (counted[block] ?? 0),
  );
}

/** Adds `change` to the count of an ordinal's block. Missing counts of earlier blocks become 0. */
export function countsAfter(
  counts: readonly number[] | undefined,
  ordinal: number,
  change: number,
): number[] {
  const block = Math.floor(ordinal / BLOCK_SIZE);
  const changed = [...(counts ?? [])];
  while (changed.length <= block) changed.push(0);
  changed[block] = (changed[block] ?? 0) + change;
  return changed;
}

export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
