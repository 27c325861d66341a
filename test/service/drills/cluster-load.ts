import { setTimeout as delay } from 'node:timers/promises';
import type { Replica } from './replica.js';

const REGISTERING = 3;
const CHANGING = 2;
const LISTING = 2;
/** The constant pause between two requests of one side. The slowest server can take this rate. */
const PAUSE_MS = 200;
/**
 * A longer request hangs. Freezes of its replica do not count. The service promises 10 s, and the
 * machine is busy.
 */
export const DEADLINE_MS = 12_000;
/** Longer than a freeze and a deadline together. */
const GIVEN_UP_AFTER_MS = 60_000;
const VERSIONS = 5;
/**
 * A process that was frozen first closes connections that were idle for too long, with a request on
 * them or not.
 */
const ONE_REQUEST = { connection: 'close' };
/** The default READ_YOUR_WRITES_TIMEOUT. */
const READS_WAIT_MS = 2_000;

export interface LoadedKey {
  readonly hash: string;
  acknowledged: number;
  attempted: number;
}

/** Constant load on replicas in turn, with a record of what was requested, answered and refused. */
export class ClusterLoad {
  readonly attemptedUsers = new Set<string>();
  readonly acknowledgedUsers = new Set<string>();
  readonly keys: LoadedKey[] = [];
  /** The number of requested keys. */
  attemptedKeys = 0;
  #faults: string[] = [];
  answered = 0;
  unavailable = 0;
  refused = 0;
  slowestMs = 0;
  #turn = 0;
  #pressing = true;
  #sides: Promise<unknown> = Promise.resolve();

  constructor(private readonly replicas: readonly Replica[]) {}

  start(): void {
    this.#pressing = true;
    const sides = [
      ...Array.from({ length: REGISTERING }, () => () => this.#register()),
      ...Array.from({ length: CHANGING }, () => this.#creatingAndChanging()),
      ...Array.from({ length: LISTING }, () => () => this.#list()),
    ];
    this.#sides = Promise.all(sides.map((request) => this.#untilPaused(request)));
  }

  /** Resolves when every request was answered or failed. */
  async pause(): Promise<void> {
    this.#pressing = false;
    await this.#sides;
  }

  /** Faults: answers other than success and 503, and requests that hang. Each is reported once. */
  takeFaults(): string[] {
    const faults = this.#faults;
    this.#faults = [];
    return faults;
  }

  async #untilPaused(request: () => Promise<unknown>): Promise<void> {
    while (this.#pressing) {
      await request();
      await delay(PAUSE_MS);
    }
  }

  async #register(): Promise<void> {
    const user = `user-${this.attemptedUsers.size}`;
    this.attemptedUsers.add(user);
    if (await this.#send('POST', '/v1/end-users', { user }, 201)) this.acknowledgedUsers.add(user);
  }

  /** A side with keys of its own, so that the changes of a key come one after another. */
  #creatingAndChanging(): () => Promise<void> {
    let key: LoadedKey | undefined;
    return async () => {
      if (key && key.attempted < VERSIONS) {
        const version = ++key.attempted;
        const change = { name: `v${version}`, limit: version };
        if (await this.#send('PATCH', `/v1/keys/${key.hash}`, change, 200)) {
          key.acknowledged = version;
        }
        return;
      }
      this.attemptedKeys += 1;
      const made = await this.#send('POST', '/v1/keys', { name: 'v0', limit: 0 }, 201);
      key = made === undefined ? undefined : { hash: hashIn(made), acknowledged: 0, attempted: 0 };
      if (key) this.keys.push(key);
    };
  }

  /**
   * A read that waited for its whole time limit may lack earlier writes. Every faster read must
   * have them.
   */
  async #list(): Promise<void> {
    const acknowledged = this.acknowledgedUsers.size;
    const began = performance.now();
    const page = await this.#send('GET', '/v1/end-users?limit=10', undefined, 200);
    if (page === undefined || performance.now() - began >= READS_WAIT_MS) return;
    const listed = (page as { total_count: number }).total_count;
    if (listed < acknowledged) {
      this.#faults.push(`a list had ${listed} of ${acknowledged} registered before it`);
    }
  }

  /** @returns the body of a successful answer. */
  async #send(
    method: string,
    path: string,
    body: object | undefined,
    success: number,
  ): Promise<unknown> {
    const replica = this.replicas[this.#turn++ % this.replicas.length];
    if (!replica) return undefined;
    const began = performance.now();
    const outcome = await Promise.race([
      replica.client.send(method, path, { headers: ONE_REQUEST, body }).catch(reasonOf),
      delay(GIVEN_UP_AFTER_MS, 'no answer at all', { ref: false }),
    ]);
    const ended = performance.now();
    const lasted = ended - began - replica.frozenWithin(began, ended);
    this.slowestMs = Math.max(this.slowestMs, lasted);
    const request = `${method} ${path} on ${replica.name}`;
    if (lasted > DEADLINE_MS) this.#faults.push(`${request} took ${Math.round(lasted)} ms`);
    if (typeof outcome === 'string') {
      this.refused += 1;
      if (!replica.wasDownWithin(began, ended)) this.#faults.push(`${request} failed: ${outcome}`);
      return undefined;
    }
    const { status, text, headers } = outcome;
    if (status === success) {
      this.answered += 1;
      return outcome.body;
    }
    this.unavailable += 1;
    if (status !== 503 || headers.get('retry-after') === null) {
      this.#faults.push(`${request} was answered with ${status} ${text}`);
    }
    return undefined;
  }
}

/**
 * Gives the message with its cause, where `fetch` puts the reason. `instanceof` would fail, because
 * the error is from another realm.
 */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return [message ?? String(error), cause?.message].filter(Boolean).join(': ');
}

function hashIn(body: unknown): string {
  return (body as { data: { hash: string } }).data.hash;
}
