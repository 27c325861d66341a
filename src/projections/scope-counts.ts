import type { View } from '../read-store/read-store.js';
import type { Documents } from './projection.js';
import {
  BLOCK_SIZE,
  type Counts,
  countsOf,
  dropEmptyCounts,
  type Place,
  placeOfRank,
  recount,
  recounted,
  seek,
} from './rank-counts.js';

/**
 * The document of a scope, for scopes that are very many because each value of a field is a scope. Most scopes list few
 * items, and have one document with a count for each block. A scope with items in more than 256 blocks has a count for
 * each chunk instead. A scope that lists no item has no document, so that the store does not keep the scope's name.
 */
export interface ScopeDocument extends Counts {
  /** The blocks that the counts belong to, in ascending order. Absent if there is a count for each chunk. */
  readonly blocks?: readonly number[];
}

/** The largest number of blocks in the document of a scope: as many as a chunk has. */
const MOST_BLOCKS = 256;

/** Changes the counts of a scope that has a `ScopeDocument`, for the item at an ordinal. */
export function recountScope(
  documents: Documents,
  scopes: string,
  scope: string,
  ordinal: number,
  differences: Readonly<Record<string, number>>,
): void {
  const kept = documents.get<ScopeDocument>(scopes, scope);
  if (kept && !kept.blocks) {
    recount(documents, scopes, scope, ordinal, differences);
    dropEmptyCounts(documents, scopes, scope, ordinal);
    return;
  }
  const changed = recountedBlocks(kept, Math.floor(ordinal / BLOCK_SIZE), differences);
  if (changed.blocks.length === 0) documents.remove(scopes, scope);
  else if (changed.blocks.length <= MOST_BLOCKS) documents.set(scopes, scope, changed);
  else countByChunks(documents, scopes, scope, changed);
}

interface CountedBlocks extends ScopeDocument {
  readonly blocks: readonly number[];
}

function recountedBlocks(
  kept: ScopeDocument | undefined,
  block: number,
  differences: Readonly<Record<string, number>>,
): CountedBlocks {
  const known = kept?.blocks ?? [];
  const found = known.lastIndexOf(block);
  const index = found >= 0 ? found : placeFor(block, known);
  // `recounted` extends a row whose end is before the index.
  const isInserted = found < 0 && index < known.length;
  const blocks =
    found >= 0 ? known : isInserted ? known.toSpliced(index, 0, block) : [...known, block];
  const counts: Record<string, readonly number[]> = {};
  let isEmpty = true;
  for (const [flag, difference] of Object.entries(differences)) {
    const before = countsOf(kept, flag);
    const row = recounted(isInserted ? before.toSpliced(index, 0, 0) : before, index, difference);
    counts[flag] = row;
    isEmpty &&= row[index] === 0;
  }
  if (!isEmpty) return { blocks, ...counts };
  for (const [flag, row] of Object.entries(counts)) counts[flag] = row.toSpliced(index, 1);
  return { blocks: blocks.toSpliced(index, 1), ...counts };
}

/** Returns the index at which to insert a block into an ordered row of blocks. */
function placeFor(block: number, blocks: readonly number[]): number {
  if (block > (blocks.at(-1) ?? -1)) return blocks.length;
  return blocks.findIndex((other) => other > block);
}

function countByChunks(
  documents: Documents,
  scopes: string,
  scope: string,
  { blocks, ...counts }: CountedBlocks,
): void {
  documents.set(scopes, scope, {});
  const rows = Object.entries(counts) as [flag: string, row: readonly number[]][];
  for (const [index, block] of blocks.entries()) {
    const differences = Object.fromEntries(rows.map(([flag, row]) => [flag, row[index] ?? 0]));
    recount(documents, scopes, scope, block * BLOCK_SIZE, differences);
  }
}

/** Finds the place of a rank, counted from 0, in a scope with a `ScopeDocument`; null when it lists fewer items. */
export async function placeInScope(
  view: Pick<View, 'get'>,
  scope: string,
  kept: ScopeDocument | undefined,
  flag: string,
  rank: number,
  order: 'ascending' | 'descending',
): Promise<Place | null> {
  const counts = countsOf(kept, flag);
  if (!kept?.blocks) {
    return placeOfRank(view, scope, rank, order, counts, (chunk) => countsOf(chunk, flag));
  }
  const found = seek(counts, rank, order);
  const block = kept.blocks[found?.index ?? -1];
  if (!found || block === undefined) return null;
  const from = block * BLOCK_SIZE;
  return { from, to: from + BLOCK_SIZE - 1, skip: found.skip };
}
