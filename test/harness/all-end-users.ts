import type { HttpClient } from './http-client.js';

const PAGE = 100;

interface Page {
  readonly data: readonly { readonly user: string }[];
  readonly total_count: number;
}

/** Every end user of the client's organization, page by page, and the total that the last page told. */
export async function allEndUsers(
  client: HttpClient,
): Promise<{ readonly users: readonly string[]; readonly total: number }> {
  const users: string[] = [];
  for (;;) {
    const { body, status, text } = await client.get<Page>(
      `/v1/end-users?limit=${PAGE}&offset=${users.length}`,
    );
    if (status !== 200) throw new Error(`a page was answered with ${status} ${text}`);
    users.push(...body.data.map(({ user }) => user));
    if (body.data.length < PAGE) return { users, total: body.total_count };
  }
}
