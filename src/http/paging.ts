import { applyDecorators } from '@nestjs/common';
import type { Paging } from '../kernel/page.js';
import { Text } from './field-decorators.js';
import { comparedWith } from './field-rules.js';
import { IntegerParameter, Parameter } from './query-decorators.js';

const LONGEST_PAGE = 100;

/** The query parameters for the pages of a list, as strings. */
export interface PagingQuery {
  readonly offset?: string;
  readonly limit?: string;
  /** The cursor from an earlier page's `Link`. Only lists with linked pages have this parameter (docs/api.md 6.4). */
  readonly cursor?: string;
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

/** Declares the query parameter `cursor` of a list whose pages are linked. */
export function CursorParameter(): PropertyDecorator {
  return applyDecorators(
    Parameter(
      Text('The place where the page begins, from the `Link` of an earlier page.'),
      comparedWith(
        'offset',
        'must not be given together with offset',
        (_, offset) => offset === undefined,
      ),
    ),
  );
}

/** Returns the offset and the limit of a validated query. `placeAsked` reads the cursor. */
export function pagingOf({ offset = '0', limit }: PagingQuery, defaultLimit: number): Paging {
  return {
    // Every offset above 2^53 is beyond the end of a list.
    offset: Math.min(Number(offset), Number.MAX_SAFE_INTEGER),
    limit: Number(limit ?? defaultLimit),
  };
}
