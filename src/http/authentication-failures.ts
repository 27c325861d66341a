import { LRUCache } from 'lru-cache';
import { Refusal } from '../kernel/errors.js';
import { hostNetworkOf } from './client-address.js';

/** How many failures an address may have in a window of so many seconds; `off` for no limit. */
export type AuthenticationFailureLimit =
  { readonly count: number; readonly seconds: number } | 'off';

/** How many addresses are counted. An address that the cache evicts begins anew. */
const MOST_ADDRESSES = 100_000;
/** The log has at most one line for an address beyond the limit in this time. */
const LOGGED_EVERY_MS = 60_000;

/** The refusal of an address beyond its limit. */
export class TooManyFailures extends Refusal {
  constructor(
    readonly retryAfterSeconds: number,
    /** Whether the log has a line for this refusal. Others in the same minute have none. */
    readonly isLogged: boolean,
  ) {
    super('too-many-authentication-failures');
  }
}

interface Failures {
  count: number;
  /** The end of the window, in milliseconds of the clock. */
  readonly endsAt: number;
  loggedAt: number;
  /** The last look-up of the address beyond the limit. The next one waits for it. */
  lookUps: Promise<unknown>;
}

/**
 * Counts failed authentications by address in fixed windows and bounds their cost (docs/api.md 1.7). Beyond the limit an
 * address has one look-up at a time, and none waits for the log.
 */
export class AuthenticationFailures {
  // With `max` the cache would make room for all addresses at the start.
  readonly #addresses = new LRUCache<string, Failures>({
    maxSize: MOST_ADDRESSES,
    sizeCalculation: () => 1,
  });

  constructor(
    private readonly limit: AuthenticationFailureLimit,
    /** A monotonic clock, in milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Authenticates a request, and counts a failure.
   * @param authenticate looks the key up and may wait for the read model if `mayWait`; rejects with a Refusal.
   * @returns the result of `authenticate`. A right key passes also beyond the limit.
   * @throws TooManyFailures instead of a failure beyond the limit.
   */
  async watch<Found>(
    address: string,
    authenticate: (mayWait: boolean) => Promise<Found>,
  ): Promise<Found> {
    const { limit } = this;
    if (limit === 'off') return authenticate(true);
    const network = hostNetworkOf(address);
    const before = this.#failures(network);
    const isBeyond = before !== undefined && before.count >= limit.count;
    try {
      if (!isBeyond) return await authenticate(true);
      const mine = before.lookUps.then(() => authenticate(false));
      before.lookUps = mine.catch(() => undefined);
      return await mine;
    } catch (error) {
      if (!isFailure(error)) throw error;
      const failures = this.#failed(network, limit.seconds);
      if (!isBeyond) throw error;
      throw this.#refusal(failures);
    }
  }

  #failures(network: string): Failures | undefined {
    const failures = this.#addresses.get(network);
    return failures && failures.endsAt > this.now() ? failures : undefined;
  }

  #failed(network: string, seconds: number): Failures {
    const failures = this.#failures(network) ?? {
      count: 0,
      endsAt: this.now() + seconds * 1_000,
      loggedAt: -Infinity,
      lookUps: Promise.resolve(),
    };
    failures.count += 1;
    this.#addresses.set(network, failures);
    return failures;
  }

  #refusal(failures: Failures): TooManyFailures {
    const now = this.now();
    const isLogged = now - failures.loggedAt >= LOGGED_EVERY_MS;
    if (isLogged) failures.loggedAt = now;
    return new TooManyFailures(Math.max(1, Math.ceil((failures.endsAt - now) / 1_000)), isLogged);
  }
}

/** Whether a credential was malformed or unknown. A request without a credential is no failure. */
function isFailure(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  return error.code === 'authentication-malformed' || error.code === 'key-invalid';
}
