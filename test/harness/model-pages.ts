import { expect } from '@jest/globals';
import type { Answer, HttpClient } from './http-client.js';
import { nextOf } from './next-pages.js';

/**
 * Expects the requested page, and the next page at its link.
 * @param path the requested path.
 * @param all the matching records in the order of the list.
 */
export async function expectPages(
  client: HttpClient,
  path: string,
  answer: Answer,
  all: readonly object[],
  defaultLimit: number,
): Promise<void> {
  const { searchParams } = new URL(path, client.address);
  const offset = Number(searchParams.get('offset') ?? 0);
  const limit = Number(searchParams.get('limit') ?? defaultLimit);
  const pageFrom = (start: number) => ({
    status: 200,
    body: { data: all.slice(start, start + limit), total_count: all.length },
    isLast: start + limit >= all.length,
  });
  const found = ({ status, body }: Answer, next: string | undefined) => ({
    status,
    body,
    isLast: next === undefined,
  });
  const next = nextOf(answer, path);
  expect(found(answer, next)).toEqual(pageFrom(offset));
  if (next === undefined) return;
  const behind = await client.get(next);
  expect(found(behind, nextOf(behind, next))).toEqual(pageFrom(offset + limit));
}
