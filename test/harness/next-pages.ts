import type { Answer, HttpClient } from './http-client.js';

const NEXT = /^<(\?[\w*.+%=&-]+)>; rel="next"$/;

/** The address of the page behind an answer, as a client resolves it; undefined when there is no link. */
export function nextOf({ headers }: Answer<unknown>, path: string): string | undefined {
  const link = headers.get('link');
  if (link === null) return undefined;
  const [, reference] = NEXT.exec(link) ?? [];
  if (reference === undefined) throw new Error(`this is no link to a next page: ${link}`);
  const { pathname, search } = new URL(reference, new URL(path, 'http://localhost'));
  return pathname + search;
}

/** Goes from link to link. Gives the records of each page, once it is asked for the page. */
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
