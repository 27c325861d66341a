import { allPages } from './all-pages.js';
import type { HttpClient } from './http-client.js';

interface List {
  readonly data: readonly { readonly user: string }[];
  readonly total_count: number;
}

/** A caller who writes and reads without a pause, and keeps every answer that was not as it must be. */
export class WatchedAnswers {
  readonly faults: string[] = [];
  rounds = 0;
  /** Of the last list. */
  position = '';

  constructor(private readonly client: HttpClient) {}

  /** Registers, changes a key and lists, over and over. Nobody else may register meanwhile. */
  async watch(going: () => boolean): Promise<void> {
    const { client, faults } = this;
    const created = await client.post<{ data: { hash: string } }>('/v1/keys', { name: 'v0' });
    const path = `/v1/keys/${created.body.data.hash}`;
    const { total } = await allPages(client, '/v1/end-users');
    for (let before = total; going(); before++, this.rounds++) {
      const user = `watched-${before}`;
      const registered = await client.post('/v1/end-users', { user });
      if (registered.status !== 201) faults.push(`${user}: ${registered.text}`);
      const changed = await client.patch(path, { name: `v${this.rounds + 1}` });
      if (changed.status !== 200) faults.push(changed.text);
      await this.#list(`/v1/end-users?limit=3&offset=${before - 1}`, user, before + 1, 2);
      await this.#list(`/v1/end-users?user=${user}`, user, 1, 1);
    }
  }

  async #list(query: string, last: string, total: number, length: number): Promise<void> {
    const { status, body, text, headers } = await this.client.get<List>(query);
    const fine =
      status === 200 &&
      body.total_count === total &&
      body.data.length === length &&
      body.data.at(-1)?.user === last;
    if (!fine) this.faults.push(`${query}: ${text}`);
    const reached = headers.get('x-log-position') ?? '';
    if (reached < this.position) this.faults.push(`${reached} after ${this.position}`);
    this.position = reached;
  }
}
