import type { HttpClient } from './http-client.js';

const PAGE = 100;

interface Page<Item> {
  readonly data: readonly Item[];
  readonly total_count: number;
}

/**
 * Reads a list page by page. Gives every item, and the total of the last page. @param path with or
 * without a query.
 */
export async function allPages<Item>(
  client: HttpClient,
  path: string,
): Promise<{ readonly items: readonly Item[]; readonly total: number }> {
  const items: Item[] = [];
  for (;;) {
    const query = `limit=${PAGE}&offset=${items.length}`;
    const page = await client.get<Page<Item>>(`${path}${path.includes('?') ? '&' : '?'}${query}`);
    if (page.status !== 200)
      throw new Error(`a page was answered with ${page.status} ${page.text}`);
    items.push(...page.body.data);
    if (page.body.data.length < PAGE) return { items, total: page.body.total_count };
  }
}
