import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** Clients that repeat a request, each time on a new connection. */
export class ConnectingClients {
  /** The number of answers by status. */
  readonly answers = new Map<number, number>();
  /** The faults of requests without an answer. */
  readonly failures: string[] = [];
  readonly #all: Promise<unknown>;
  #asking = true;

  constructor(
    private readonly url: string,
    private readonly key: string,
    count: number,
  ) {
    this.#all = Promise.all(Array.from({ length: count }, () => this.#ask()));
  }

  get answered(): number {
    return [...this.answers.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Stops every client after its current request. */
  async stop(): Promise<void> {
    this.#asking = false;
    await this.#all;
  }

  async #ask(): Promise<void> {
    while (this.#asking) {
      try {
        const status = await this.#askOnce();
        this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
      } catch (error) {
        this.failures.push(String(error));
      }
    }
  }

  async #askOnce(): Promise<number> {
    const headers = { Authorization: `Bearer ${this.key}` };
    const request = get(this.url, { agent: false, headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response.statusCode ?? NaN;
  }
}
