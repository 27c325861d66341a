import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { UNKNOWN_HASH } from './forms.js';
import type { HttpClient } from './http-client.js';
import { DAY_MS, decimal, type ModelKey, type RawUse, UsageModel } from './usage-model.js';

const MOST_RECORDS = 5;
const DAYS = 4;
/** The end users whom records name. */
export const LOAD_USERS = ['ada', 'ben', 'cyd'] as const;
/** One of so many reports is taken back. */
const ONE_TAKEN_BACK_OF = 4;
const ANSWERED_WITHIN_MS = 60_000;
const RETRIED_AFTER_MS = 200;
/**
 * A process that was frozen first closes connections that were idle for too long, with a request on
 * them or not.
 */
const ONE_REQUEST = { connection: 'close' };

/**
 * Reports of usage, each of which is sent until it is answered, and a model of what was answered.
 * Some are taken back.
 */
export class UsageLoad {
  readonly model = new UsageModel();
  /** The number of reports that were answered. */
  answered = 0;
  #isOver = false;
  #sides: Promise<unknown> = Promise.resolve();

  /** @param receivers gives the replicas that get the next report at the same time. */
  constructor(
    private readonly keys: readonly ModelKey[],
    private readonly receivers: () => readonly HttpClient[],
  ) {}

  start(connections: number): void {
    this.#isOver = false;
    this.#sides = Promise.all(
      Array.from({ length: connections }, async () => {
        while (!this.#isOver) await this.#report();
      }),
    );
    // A fault is told by stop.
    this.#sides.catch(() => undefined);
  }

  /** Ends the load. @throws Error for an answer that was none of a report that is counted once. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#sides;
  }

  async #report(): Promise<void> {
    const id = randomUUID();
    const named = Array.from({ length: randomInt(1, MOST_RECORDS) }, () => {
      return LOAD_USERS[randomInt(LOAD_USERS.length + 1)] ?? null;
    });
    const uses = named.map((user) => this.#use(user));
    const records = uses.map(({ hash, cost, byok, at }, index) => ({
      key_hash: hash,
      cost: decimal(cost),
      byok_cost: decimal(byok),
      user: named[index],
      occurred_at: new Date(at).toISOString(),
    }));
    const statuses = await this.#send('PUT', id, { records });
    if (statuses.filter((status) => status === 201).length > 1) {
      throw new Error(`report ${id} was new more than once`);
    }
    this.model.uses.push(...uses);
    if (randomInt(ONE_TAKEN_BACK_OF) === 0) {
      await this.#send('DELETE', id);
      for (const use of uses) use.isReversed = true;
    }
    this.answered += 1;
  }

  #send(method: string, id: string, body?: object): Promise<number[]> {
    return Promise.all(
      this.receivers().map((client) => sentUntilAnswered(() => client, method, id, body)),
    );
  }

  #use(named: string | null): RawUse {
    const key = this.keys[randomInt(this.keys.length + 1)];
    return {
      hash: key?.hash ?? UNKNOWN_HASH,
      workspace: key?.workspace ?? null,
      cost: BigInt(randomInt(10 ** 10)),
      byok: BigInt(randomInt(10 ** 10)),
      requests: 1,
      at: Date.now() - randomInt(DAYS * DAY_MS),
      user: key?.user ?? named,
      isReversed: false,
    };
  }
}

/**
 * Sends a report, or takes it back, until it is answered. Each try has a receiver of its own.
 * @param retried the statuses after which it is sent again.
 */
export async function sentUntilAnswered(
  receiver: () => HttpClient,
  method: string,
  id: string,
  body?: object,
  retried: readonly number[] = [503],
): Promise<number> {
  const path = `/v1/usage-reports/${id}`;
  const deadline = performance.now() + ANSWERED_WITHIN_MS;
  while (performance.now() < deadline) {
    const sent = receiver().send(method, path, { ...(body && { body }), headers: ONE_REQUEST });
    const answer = await sent.catch(() => undefined);
    if (answer && answer.status <= 201) return answer.status;
    if (answer && !retried.includes(answer.status)) {
      throw new Error(`${id}: ${answer.status} ${answer.text}`);
    }
    // The next try waits like that of a gateway, so that a service under a load of refusals can
    // start.
    await delay(RETRIED_AFTER_MS);
  }
  throw new Error(`report ${id} was not answered within ${ANSWERED_WITHIN_MS} ms`);
}
