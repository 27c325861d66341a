import { LRUCache } from 'lru-cache';
import { Refusal } from '../kernel/errors.js';
import { hostNetworkOf } from './client-address.js';

/** So many failures of an address in so many seconds, or no limit. */
export type AuthenticationFailureLimit =
  { readonly count: number; readonly seconds: number } | 'off';

/** Addresses that are remembered. One that is forgotten for others begins anew. */
const MOST_ADDRESSES = 100_000;
/** An address that goes on beyond the limit has a log line as often. */
const LOGGED_EVERY_MS = 60_000;

/** An address beyond its limit. */
export class TooManyFailures extends Refusal {
  constructor(
    readonly retryAfterSeconds: number,
    /** Whether this refusal is the one of its minute that is logged. */
    readonly isLogged: boolean,
  ) {
    super('too-many-authentication-failures');
  }
}

interface Failures {
  count: number;
  /** By the clock, in milliseconds. */
  readonly endsAt: number;
  loggedAt: number;
  /** The look-ups of the address one after another, once it is beyond the limit. */
  lookUps: Promise<unknown>;
}

/**
 * Counts failed authentications by address in fixed windows and bounds their work (docs/api.md 1.7): beyond the limit the
 * look-ups of an address come one after another, and none waits for the log.
 */
export class AuthenticationFailures {
  readonly #addresses = new LRUCache<string, Failures>({ max: MOST_ADDRESSES });

  constructor(
    private readonly limit: AuthenticationFailureLimit,
    /** Milliseconds, by a clock that is never set back. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Authenticates, and counts a failure.
   * @param authenticate waits for what the log has that the read model lacks, where it may; rejects with a Refusal.
   * @throws TooManyFailures in the place of a failure beyond the limit.
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

/** A credential of the wrong form, or one that is unknown. Who sends none has not tried. */
function isFailure(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  return error.code === 'authentication-malformed' || error.code === 'key-invalid';
}
