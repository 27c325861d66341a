import { BLOCK_SIZE, blockStart, CHUNK_SIZE, seek, sumOf } from '../../projections/rank-counts.js';
import type { OrganizationDocument } from './end-user-directory.projection.js';

/** The place of an active end user in the order of registration: `skip` active end users after the ordinal `from`. */
export interface Place {
  readonly from: number;
  /** Less than the size of a block. */
  readonly skip: number;
}

export function activeOf({ registered, inactive = [] }: OrganizationDocument): number {
  return registered - sumOf(inactive);
}

/**
 * Finds the active end user with `rank` active end users before it; null when there are fewer.
 * @param inactiveIn gives the number of inactive end users in each block of a chunk.
 */
export async function placeOfActive(
  { registered, inactive = [] }: OrganizationDocument,
  rank: number,
  inactiveIn: (chunk: number) => Promise<readonly number[]>,
): Promise<Place | null> {
  const chunk = seek(activeCounts(registered, CHUNK_SIZE, inactive), rank, 'ascending');
  if (!chunk) return null;
  const start = blockStart(chunk.index, 0);
  const size = Math.min(CHUNK_SIZE, registered - start);
  const inactiveBlocks = inactive[chunk.index] ? await inactiveIn(chunk.index) : [];
  const block = seek(activeCounts(size, BLOCK_SIZE, inactiveBlocks), chunk.skip, 'ascending');
  return block && { from: blockStart(chunk.index, block.index), skip: block.skip };
}

/** Counts the active end users in each part of a row of ordinals. Only the last part may be shorter. */
function activeCounts(ordinals: number, partSize: number, inactive: readonly number[]): number[] {
  const counts: number[] = [];
  for (let start = 0; start < ordinals; start += partSize) {
    counts.push(Math.min(partSize, ordinals - start) - (inactive[counts.length] ?? 0));
  }
  return counts;
}
