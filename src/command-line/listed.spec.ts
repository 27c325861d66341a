import { describe, expect, it } from '@jest/globals';
import type { Paging } from '../kernel/page.js';
import { documentOf, listed } from './listed.js';

/** Reads rows that are named by their place, and removes each part after it is read. */
function reader(count: number) {
  const rows = Array.from({ length: count }, (_, index) => index + 1);
  const asked: Paging[] = [];
  const read = async (page: Paging) => {
    asked.push(page);
    const left = rows.filter((row) => row > Number(page.after ?? 0));
    const found = left.slice(0, page.limit);
    const next = left.length > found.length ? String(found.at(-1)) : null;
    const total = rows.length;
    for (const row of found) rows.splice(rows.indexOf(row), 1);
    return { rows: found, total, next };
  };
  return { read, asked };
}

async function printed(count: number, limit?: number): Promise<{ data: number[]; total: number }> {
  const texts: string[] = [];
  for await (const text of documentOf(await listed(reader(count).read, limit))) texts.push(text);
  const { data, total_count: total } = JSON.parse(texts.join('')) as {
    data: number[];
    total_count: number;
  };
  return { data, total };
}

describe('a list of the command line', () => {
  it.each([0, 1, 1_000, 1_001, 2_500])(
    'has each of %i rows once, also when rows go meanwhile',
    async (count) => {
      const { data, total } = await printed(count);
      expect(data).toEqual(Array.from({ length: count }, (_, index) => index + 1));
      expect(total).toBe(count);
    },
  );

  it.each([1, 999, 1_000, 1_001, 2_500])(
    'ends after a limit of %i, and counts all',
    async (limit) => {
      const { data, total } = await printed(2_400, limit);
      expect(data).toHaveLength(Math.min(limit, 2_400));
      expect(total).toBe(2_400);
    },
  );

  it('reads no more than it prints', async () => {
    const { read, asked } = reader(2_400);
    const { chunks } = await listed(read, 1_100);
    for await (const _ of chunks);
    expect(asked.map(({ limit, after }) => [limit, after])).toEqual([
      [1_000, undefined],
      [100, '1000'],
    ]);
  });
});
