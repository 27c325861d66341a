import { expect } from '@jest/globals';
import type { Answer } from './http-client.js';

/**
 * Expects the requested page.
 * @param path the requested path.
 * @param all the matching records in the order of the list.
 */
export function expectPage(
  path: string,
  { status, body }: Answer,
  all: readonly object[],
  defaultLimit: number,
): void {
  const { searchParams } = new URL(path, 'http://localhost');
  const offset = Number(searchParams.get('offset') ?? 0);
  const limit = Number(searchParams.get('limit') ?? defaultLimit);
  const data = all.slice(offset, offset + limit);
  expect({ status, body }).toEqual({ status: 200, body: { data, total_count: all.length } });
}
