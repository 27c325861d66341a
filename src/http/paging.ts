import { IntegerParameter } from './query-decorators.js';

const LONGEST_PAGE = 100;

/** The part of a page's query that every list has, as text. */
export interface PagingQuery {
  readonly offset?: string;
  readonly limit?: string;
}

/** A page of a list that is read by offset. */
export interface Paging {
  /** From 0. */
  readonly offset: number;
  readonly limit: number;
}

/** A query parameter: how many records to skip. */
export function OffsetParameter(): PropertyDecorator {
  return IntegerParameter('Records to skip.', { min: 0, default: 0 });
}

/** A query parameter: how many records to return at most. */
export function LimitParameter(preset: number): PropertyDecorator {
  return IntegerParameter('Records to return at most.', {
    min: 1,
    max: LONGEST_PAGE,
    default: preset,
  });
}

/** The paging that a checked query asks for. */
export function pagingOf({ offset = '0', limit }: PagingQuery, defaultLimit: number): Paging {
  return {
    // Beyond 2^53 every offset is beyond the end.
    offset: Math.min(Number(offset), Number.MAX_SAFE_INTEGER),
    limit: Number(limit ?? defaultLimit),
  };
}
