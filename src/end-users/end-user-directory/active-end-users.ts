import { BLOCK_SIZE, blockStart, CHUNK_SIZE, seek, sumOf } from '../../projections/rank-counts.js';
import type { OrganizationDocument } from './end-user-directory.projection.js';

/** Where in the order of registration an active end user is: so many active ones after an ordinal. */
export interface Place {
  readonly from: number;
  /** Less than a block. */
  readonly skip: number;
}

export function activeOf({ registered, inactive = [] }: OrganizationDocument): number {
  return registered - sumOf(inactive);
}

/**
 * The place of the active end user that so many active ones come before; null when there are not that many.
 * @param inactiveIn gives the inactive ones of each block of a chunk.
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

/** How many are active in each part of a row of ordinals, of which only the last may be short. */
function activeCounts(ordinals: number, partSize: number, inactive: readonly number[]): number[] {
  const counts: number[] = [];
  for (let start = 0; start < ordinals; start += partSize) {
    counts.push(Math.min(partSize, ordinals - start) - (inactive[counts.length] ?? 0));
  }
  return counts;
}
