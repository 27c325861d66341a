import { allPages } from './all-pages.js';
import type { Answer, HttpClient } from './http-client.js';

interface List<Item> {
  readonly data: readonly Item[];
  readonly total_count: number;
}

interface Trail {
  readonly data: readonly { readonly action: string; readonly changes: readonly object[] }[];
}

/** A caller that writes and reads without a pause, and records every wrong answer. */
export class WatchedAnswers {
  readonly faults: string[] = [];
  rounds = 0;

  constructor(private readonly client: HttpClient) {}

  /**
   * Registers, changes a key and reads each read model, in a loop. No other caller may write
   * meanwhile.
   */
  async watch(going: () => boolean): Promise<void> {
    const { client } = this;
    const created = await client.post<{ data: { hash: string } }>('/v1/keys', { name: 'v0' });
    const path = `/v1/keys/${created.body.data.hash}`;
    const { total } = await allPages(client, '/v1/end-users');
    const { total: keys } = await allPages(client, '/v1/keys');
    for (let before = total; going(); before++, this.rounds++) {
      const user = `watched-${before}`;
      this.#expect('registering', 201, await client.post('/v1/end-users', { user }));
      const name = `v${this.rounds + 1}`;
      this.#expect('renaming', 200, await client.patch(path, { name }));
      await this.#endUsers(`limit=3&offset=${before - 1}`, user, before + 1, 2);
      await this.#endUsers(`user=${user}`, user, 1, 1);
      await this.#read<List<{ name: string }>>(
        '/v1/keys?limit=1',
        ({ data, total_count }) => data[0]?.name === name && total_count === keys,
      );
      await this.#read<Trail>('/v1/audit-events?limit=1', ({ data: [newest] }) => {
        const { action, changes } = newest ?? {};
        return action === 'key.renamed' && JSON.stringify(changes).includes(`"${name}"`);
      });
      await this.#read<List<object>>('/v1/workspaces', ({ total_count }) => total_count === 1);
    }
  }

  #endUsers(query: string, last: string, total: number, length: number): Promise<void> {
    return this.#read<List<{ user: string }>>(
      `/v1/end-users?${query}`,
      ({ data, total_count }) =>
        total_count === total && data.length === length && data.at(-1)?.user === last,
    );
  }

  async #read<Body>(path: string, isRight: (body: Body) => boolean): Promise<void> {
    const answer = await this.client.get<Body>(path);
    const { body, text } = answer;
    if (!this.#expect(path, 200, answer)) return;
    if (!isRight(body)) this.faults.push(`${path}: ${text}`);
  }

  #expect(what: string, expected: number, { status, text }: Answer): boolean {
    if (status !== expected) this.faults.push(`${what}: ${status} ${text}`);
    return status === expected;
  }
}
