import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { FoundKey, KeyFinder, KeySearch } from '../../../edge/http/callers/bearer-key.js';
import { EVENT_LOG, type EventLog } from '../../../event-sourcing/event-log/event-log.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { Denied, Unavailable } from '../../../kernel/errors.js';
import type { Key } from '../../keys/domain/key.js';
import { noUsage } from '../../keys/domain/usage.js';
import { type VerificationCode, verify } from '../domain/verification.js';
import { ColdLookUps } from './cold-look-ups.js';
import { KeyReader } from './key-reader.js';
import { type KnownKey, KnownKeys, type LookUpUnderWay } from './known-keys.js';
import { LogFollower } from './log-follower.js';

/** The maximum age of the keys in memory that the management routes use (docs/api.md 1.2). */
const MANAGEMENT_MAX_AGE_MS = 1_000;
/** How long a request to a management route waits for a look at the log. */
const MANAGEMENT_LOOK_MS = 250;

/** The refusal of an API key that may not even ask about itself (docs/api.md 1.2), by the key's verification code. */
const REFUSALS: Readonly<Partial<Record<VerificationCode, 'key-disabled' | 'key-expired'>>> = {
  DISABLED: 'key-disabled',
  EXPIRED: 'key-expired',
};

/** How far the keys in memory may be behind the log. */
export interface Freshness {
  /** Whether each request looks at the log. True for the embedded log, which answers at once. */
  readonly eachRequest: boolean;
  /** The maximum age of the keys in memory for a verification (docs/api.md 12.3). */
  readonly maxStalenessMs: number;
}

export const FRESHNESS = Symbol('Freshness');

/** The result of a look-up. A revoked management key stays revoked, so memory does not hold it. */
type Found = KnownKey | 'revoked' | null;

/** A look-up of a key. Callers that ask for the same key share the look-up. */
interface LookUp {
  readonly hash: string;
  readonly kind: 'any' | 'api';
  /** The account or address whose look-ups take turns with those of other callers. */
  readonly caller: string;
  readonly read: () => Promise<Found>;
}

/** The progress of a look-up. */
interface Reading {
  /** The time when `read` began, by `performance.now()`; undefined while the look-up waits for its turn. */
  readAt?: number;
  underWay?: LookUpUnderWay;
}

interface Shared {
  readonly found: Promise<Found>;
  readonly reading: Reading;
}

/** Finds the keys of requests in memory, or otherwise in the log (docs/api.md 12.3). */
@Injectable()
export class KeyLookUp implements KeyFinder, OnApplicationBootstrap, OnApplicationShutdown {
  readonly #known = new KnownKeys();
  readonly #follower: LogFollower;
  readonly #cold = new ColdLookUps();
  readonly #underWay = new Map<string, Shared>();
  #onLookUp: (isHit: boolean) => void = () => undefined;

  constructor(
    private readonly reader: KeyReader,
    @Inject(EVENT_LOG) log: EventLog,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(FRESHNESS) private readonly freshness: Freshness,
  ) {
    this.#follower = new LogFollower(log, this.#known);
  }

  /** The age of the keys in memory, in milliseconds. */
  get ageMs(): number {
    return this.#follower.ageMs;
  }

  /** The number of keys in memory. */
  get count(): number {
    return this.#known.count;
  }

  /** Calls `onLookUp` for every later look-up. `isHit` says whether the key was in memory. */
  observe(onLookUp: (isHit: boolean) => void): void {
    this.#onLookUp = onLookUp;
  }

  onApplicationBootstrap(): void {
    this.#follower.start();
  }

  onApplicationShutdown(): void {
    this.#follower.stop();
  }

  async find(hash: string, search: KeySearch): Promise<FoundKey | 'revoked' | null> {
    if (search.forVerification === true) {
      await this.#freshEnough(performance.now());
      return this.#findAny(hash, search, true);
    }
    if (this.freshness.eachRequest) return this.#findAny(hash, search, await this.#hasLooked());
    const isYoung = this.ageMs <= MANAGEMENT_MAX_AGE_MS || (await this.#hasLooked());
    const found = await this.#findAny(hash, search, isYoung);
    if (found === 'revoked' || found?.kind !== 'api' || found.refusal === null) return found;
    // The key may have been enabled since the last look.
    return this.#findAny(hash, search, await this.#hasLooked());
  }

  async #findAny(
    hash: string,
    { address: caller = 'this process' }: KeySearch,
    believed: boolean,
  ): Promise<FoundKey | 'revoked' | null> {
    const read = () => this.reader.anyKey(hash);
    const known = await this.#find('any', { hash, kind: 'any', caller, read }, believed);
    if (known === 'revoked' || known?.kind !== 'api') return known;
    const code = verify(known.key, noUsage, this.clock.now());
    return { kind: 'api', caller: known.caller, refusal: REFUSALS[code] ?? null };
  }

  /**
   * Finds an API key for a verification.
   * @param accountId the account that the key must belong to.
   * @param askedAt the time when the request came, by `performance.now()`.
   * @returns null for a key of another account, a management key, a deleted key and a key that never existed.
   * @throws Unavailable when the keys in memory may be too old, because the log does not answer in time.
   */
  async apiKey(accountId: string, hash: string, askedAt: number): Promise<Key | null> {
    await this.#freshEnough(askedAt);
    const read = () => this.reader.apiKey(hash);
    const known = await this.#find('api', {
      hash,
      kind: 'api',
      caller: accountId,
      read,
    });
    if (known === 'revoked' || known?.kind !== 'api') return null;
    return known.caller.accountId === accountId ? known.key : null;
  }

  async #freshEnough(askedAt: number): Promise<void> {
    if (this.freshness.eachRequest) await this.#follower.since(askedAt);
    else await this.#follower.within(this.freshness.maxStalenessMs);
  }

  /** Looks at the log. @returns false when the log does not answer in time. Then `#find` reads the key from the log. */
  async #hasLooked(): Promise<boolean> {
    try {
      if (this.freshness.eachRequest && (await this.#follower.isCurrent())) return true;
      await this.#follower.lookWithin(MANAGEMENT_LOOK_MS);
      return true;
    } catch (error) {
      if (error instanceof Unavailable || error instanceof Denied) return false;
      throw error;
    }
  }

  /**
   * Finds a key in memory, or by a look-up that callers share. A look-up that began to read before the call answers
   * only with a key that no event is known to have changed since. Such a look-up never answers that there is no key.
   * @param way the kind of look-up. Callers share only look-ups of the same kind and the same key.
   * @param believed whether the keys in memory are young enough.
   */
  async #find(way: string, lookUp: LookUp, believed = true): Promise<Found> {
    const inMemory = believed ? this.#known.get(lookUp.hash) : undefined;
    this.#onLookUp(inMemory !== undefined);
    if (inMemory) return inMemory;
    const asked = performance.now();
    const name = `${way} ${lookUp.hash}`;
    for (;;) {
      const shared = this.#underWay.get(name) ?? (await this.#begin(name, lookUp));
      if (!shared) return null;
      const { reading } = shared;
      const found = await shared.found;
      if ((reading.readAt ?? 0) >= asked) return found;
      if (believed && found && reading.underWay && !reading.underWay.isOutdated) return found;
    }
  }

  /** Begins a look-up. @returns null when `ColdLookUps` does not allow it and no directory lists the key. */
  async #begin(name: string, { hash, kind, caller, read }: LookUp): Promise<Shared | null> {
    const isAllowed = this.#cold.take();
    if (!isAllowed) {
      if (!(await this.reader.isListed(hash, kind))) return null;
      const begunMeanwhile = this.#underWay.get(name);
      if (begunMeanwhile) return begunMeanwhile;
    }
    const reading: Reading = {};
    const found = this.#cold.run({
      caller,
      isAllowed,
      read: async () => {
        reading.readAt = performance.now();
        const underWay = this.#known.begin(hash);
        reading.underWay = underWay;
        let found: Found = null;
        try {
          found = await read();
          return found;
        } finally {
          this.#known.end(underWay, found === 'revoked' ? null : found);
        }
      },
    });
    const shared: Shared = { found, reading };
    this.#underWay.set(name, shared);
    const ended = (): void => void this.#underWay.delete(name);
    found.then(ended, ended);
    return shared;
  }
}
