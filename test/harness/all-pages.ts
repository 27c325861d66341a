import type { HttpClient } from './http-client.js';

const PAGE = 100;

interface Page<Item> {
  readonly data: readonly Item[];
  readonly total_count: number;
}

/** Every item of a list, page by page, and the total that the last page told. @param path with a query or without. */
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
