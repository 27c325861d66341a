import { LRUCache } from 'lru-cache';
import { Refusal } from '../kernel/errors.js';
import { hostNetworkOf } from './client-address.js';

/** The maximum number of failed authentications of an address in a window of `seconds`; `off` for no limit. */
export type AuthenticationFailureLimit =
  { readonly count: number; readonly seconds: number } | 'off';

/** The maximum number of addresses whose failures are counted. The count of an evicted address begins again at zero. */
const MOST_ADDRESSES = 100_000;
/** The least time between two log lines for an address beyond the limit, within one window. */
const LOGGED_EVERY_MS = 60_000;

/** The refusal of a failed authentication from an address that is beyond the limit. */
export class TooManyFailures extends Refusal {
  constructor(
    readonly retryAfterSeconds: number,
    /** Whether the log has a line for this refusal. In one window, an address gets at most one such line a minute. */
    readonly isLogged: boolean,
  ) {
    super('too-many-authentication-failures');
  }
}

interface Failures {
  count: number;
  /** The end of the window, in milliseconds by the clock `now`. */
  readonly endsAt: number;
  loggedAt: number;
  /** The latest look-up from an address beyond the limit. The next look-up begins when the latest has ended. */
  lookUps: Promise<unknown>;
}

/**
 * Counts the failed authentications of each address in fixed windows, and bounds their cost (docs/api.md 1.7). An
 * address beyond the limit has one look-up at a time, which does not wait for the read model.
 */
export class AuthenticationFailures {
  // With `max`, the cache would allocate memory for all addresses at once.
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
   * Authenticates a request, and counts a failed authentication.
   * @param authenticate looks the key up, may wait for the read model if `mayWait` is true, and rejects with a Refusal.
   * @returns the result of `authenticate`. A valid key passes even from an address beyond the limit.
   * @throws TooManyFailures instead of the Refusal when the address is beyond the limit.
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

/** Whether an error means a malformed or unknown credential. A request without a credential is no failure. */
function isFailure(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  return error.code === 'authentication-malformed' || error.code === 'key-invalid';
}
