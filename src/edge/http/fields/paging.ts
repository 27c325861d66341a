import type { Paging } from '../../../kernel/page.js';
import { IntegerParameter } from './query-decorators.js';

const LONGEST_PAGE = 100;

/** The query parameters for the pages of a list, as strings. */
export interface PagingQuery {
  readonly offset?: string;
  readonly limit?: string;
}

/** Declares the query parameter `offset`. */
export function OffsetParameter(): PropertyDecorator {
  return IntegerParameter('The number of records to skip.', { min: 0, default: 0 });
}

/** Declares the query parameter `limit`. @param preset the default. */
export function LimitParameter(preset: number): PropertyDecorator {
  return IntegerParameter('The maximum number of records to return.', {
    min: 1,
    max: LONGEST_PAGE,
    default: preset,
  });
}

/** Returns the offset and the limit of a validated query. */
export function pagingOf({ offset = '0', limit }: PagingQuery, defaultLimit: number): Paging {
  return {
    // Every offset above 2^53 is beyond the end of a list.
    offset: Math.min(Number(offset), Number.MAX_SAFE_INTEGER),
    limit: Number(limit ?? defaultLimit),
  };
}
