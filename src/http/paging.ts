import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsPlainInteger, MayBeAbsent } from './field-rules.js';

const LONGEST_PAGE = 100;

/** The part of a page's query that every list has, as text. */
export interface PagingQuery {
  readonly offset?: string;
  readonly limit?: string;
}

/** What is asked of a list that is read page by page. */
export interface Paging {
  /** From 0. */
  readonly offset: number;
  readonly limit: number;
}

/** A query parameter: how many records to skip. */
export function IsOffset(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description: 'Records to skip.',
      type: 'integer',
      minimum: 0,
      default: 0,
    }),
    MayBeAbsent(),
    IsPlainInteger({ min: 0 }),
  );
}

/** A query parameter: how many records to return at most. */
export function IsLimit(defaultLimit: number): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description: 'Records to return at most.',
      type: 'integer',
      minimum: 1,
      maximum: LONGEST_PAGE,
      default: defaultLimit,
    }),
    MayBeAbsent(),
    IsPlainInteger({ min: 1, max: LONGEST_PAGE }),
  );
}

/** The paging that a checked query asks for. */
export function pagingOf({ offset = '0', limit }: PagingQuery, defaultLimit: number): Paging {
  return {
    // Beyond 2^53 every offset is beyond the end.
    offset: Math.min(Number(offset), Number.MAX_SAFE_INTEGER),
    limit: Number(limit ?? defaultLimit),
  };
}
