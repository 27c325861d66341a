import { IntegerParameter } from './query-decorators.js';

const LONGEST_PAGE = 100;

/** The query parameters of every list, as text. */
export interface PagingQuery {
  readonly offset?: string;
  readonly limit?: string;
}

/** The place and length of a page. */
export interface Paging {
  /** The number of records before the page. */
  readonly offset: number;
  readonly limit: number;
}

/** The query parameter `offset`. */
export function OffsetParameter(): PropertyDecorator {
  return IntegerParameter('Records to skip.', { min: 0, default: 0 });
}

/** The query parameter `limit`. @param preset the default. */
export function LimitParameter(preset: number): PropertyDecorator {
  return IntegerParameter('Records to return at most.', {
    min: 1,
    max: LONGEST_PAGE,
    default: preset,
  });
}

/** Gives the paging of a validated query. */
export function pagingOf({ offset = '0', limit }: PagingQuery, defaultLimit: number): Paging {
  return {
    // Every offset above 2^53 is beyond the end of a list.
    offset: Math.min(Number(offset), Number.MAX_SAFE_INTEGER),
    limit: Number(limit ?? defaultLimit),
  };
}
