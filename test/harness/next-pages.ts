import type { Answer, HttpClient } from './http-client.js';

const NEXT = /^<(\?[\w*.+%=&-]+)>; rel="next"$/;

/** Gives the address of the next page, resolved like a client; undefined without a link. */
export function nextOf({ headers }: Answer, path: string): string | undefined {
  const link = headers.get('link');
  if (link === null) return undefined;
  const [, reference] = NEXT.exec(link) ?? [];
  if (reference === undefined) throw new Error(`this is no link to a next page: ${link}`);
  const { pathname, search } = new URL(reference, new URL(path, 'http://localhost'));
  return pathname + search;
}

/** Follows the links. Gives the records of each page when the page is asked for. */
export async function* linkedPages<Item>(
  client: HttpClient,
  path: string,
): AsyncGenerator<readonly Item[], undefined> {
  for (let next: string | undefined = path; next !== undefined;) {
    const page: Answer<{ readonly data: readonly Item[] }> = await client.get(next);
    if (page.status !== 200)
      throw new Error(`a page was answered with ${page.status} ${page.text}`);
    yield page.body.data;
    next = nextOf(page, next);
  }
}
