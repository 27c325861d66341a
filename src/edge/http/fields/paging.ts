import type { Type } from '@nestjs/common';
import type { Paging } from '../../../kernel/page.js';
import { IntegerParameter } from './query-decorators.js';

const LONGEST_PAGE = 100;

/** The query parameters for the pages of a list, as strings. */
export interface PagingQuery {
  readonly offset: string;
  readonly limit: string;
}

/** Makes a class with the query parameters of pages. @param preset the default of `limit`. */
export function Paged(preset: number): Type<PagingQuery> {
  const bounds = { min: 1, max: LONGEST_PAGE, default: preset };
  class Parameters {
    @IntegerParameter('The number of records to skip.', { min: 0, default: 0 })
    readonly offset = '0';

    @IntegerParameter('The maximum number of records to return.', bounds)
    readonly limit = String(preset);
  }
  return Parameters;
}

export function pagingOf({ offset, limit }: PagingQuery): Paging {
  // Every offset above 2^53 is beyond the end of a list.
  return { offset: Math.min(Number(offset), Number.MAX_SAFE_INTEGER), limit: Number(limit) };
}
