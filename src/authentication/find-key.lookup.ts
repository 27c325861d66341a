import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { EVENT_LOG, type EventLog } from '../event-log/event-log.js';
import type { FoundKey, KeyFinder, KeySearch } from '../http/bearer-key.js';
import { hostNetworkOf } from '../http/client-address.js';
import { CLOCK, type Clock } from '../kernel/clock.js';
import { Denied, Unavailable } from '../kernel/errors.js';
import type { Key } from '../keys/domain/key.js';
import { noUsage } from '../keys/domain/usage.js';
import { type VerificationCode, verify } from '../keys/domain/verification.js';
import { ColdLookUps } from './cold-look-ups.js';
import { KeyReader } from './key-reader.js';
import { type KnownKey, KnownKeys, type LookUpUnderWay } from './known-keys.js';
import { LogFollower } from './log-follower.js';

/** How old memory may be on the routes of management (docs/api.md 1.2). */
const MANAGEMENT_MAX_AGE_MS = 1_000;
/** How long the routes of management wait for a look at the log. */
const MANAGEMENT_LOOK_MS = 250;

/** How long a question waits that asks for everything that was stored before it. */
const STRONG_WITHIN_MS = 5_000;

/** The verifications with which a key may not even ask about itself (docs/api.md 1.2). */
const REFUSALS: Readonly<Partial<Record<VerificationCode, 'key-disabled' | 'key-expired'>>> = {
  DISABLED: 'key-disabled',
  EXPIRED: 'key-expired',
};

/** How far the memory of keys may be behind the log. */
export interface Freshness {
  /** Whether each request looks at the log: the embedded log answers at once. */
  readonly eachRequest: boolean;
  /** The greatest age of a verification (docs/api.md 12.3). */
  readonly maxStalenessMs: number;
}

export const FRESHNESS = Symbol('Freshness');

/** A look-up that is shared by all who ask for the same. */
interface LookUp {
  readonly hash: string;
  readonly kind: 'any' | 'api';
  /** The account or the address that takes turns with others. */
  readonly caller: string;
  readonly read: () => Promise<KnownKey | null>;
}

/** How far a look-up is. */
interface Reading {
  /** By `performance.now()`; undefined while the look-up waits for its turn. */
  readAt?: number;
  underWay?: LookUpUnderWay;
}

interface Shared {
  readonly found: Promise<KnownKey | null>;
  readonly reading: Reading;
}

/** Finds the keys of requests: in memory, else in the log (docs/api.md 12.3). */
@Injectable()
export class KeyLookUp implements KeyFinder, OnApplicationBootstrap, OnApplicationShutdown {
  readonly #known = new KnownKeys();
  readonly #follower: LogFollower;
  readonly #cold = new ColdLookUps();
  readonly #underWay = new Map<string, Shared>();
  #onLookUp: (isHit: boolean) => void = () => undefined;

  constructor(
    @Inject(KeyReader) private readonly reader: KeyReader,
    @Inject(EVENT_LOG) log: EventLog,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(FRESHNESS) private readonly freshness: Freshness,
  ) {
    this.#follower = new LogFollower(log, this.#known);
  }

  /** How old what memory holds is, in milliseconds. */
  get ageMs(): number {
    return this.#follower.ageMs;
  }

  /** How many keys are in memory. */
  get count(): number {
    return this.#known.count;
  }

  /** Calls back for every look-up from here on. */
  observe(onLookUp: (isHit: boolean) => void): void {
    this.#onLookUp = onLookUp;
  }

  onApplicationBootstrap(): void {
    this.#follower.start();
  }

  onApplicationShutdown(): void {
    this.#follower.stop();
  }

  async find(hash: string, search: KeySearch): Promise<FoundKey | null> {
    if (search.forVerification === true) {
      await this.#freshEnough(false, performance.now());
      return this.#findAny(hash, search, true);
    }
    if (this.freshness.eachRequest) return this.#findAny(hash, search, await this.#hasLooked());
    const isYoung = this.ageMs <= MANAGEMENT_MAX_AGE_MS || (await this.#hasLooked());
    const found = await this.#findAny(hash, search, isYoung);
    if (found?.kind !== 'api' || found.refusal === null) return found;
    // The key may have been enabled since the last look.
    return this.#findAny(hash, search, await this.#hasLooked());
  }

  async #findAny(
    hash: string,
    { mayWait, address: caller = 'this process' }: KeySearch,
    believed: boolean,
  ): Promise<FoundKey | null> {
    const read = () => this.reader.anyKey(hash, mayWait);
    const known = await this.#find(`any ${mayWait}`, { hash, kind: 'any', caller, read }, believed);
    if (known?.kind !== 'api') return known;
    const code = verify(known.key, noUsage, this.clock.now());
    return { kind: 'api', caller: known.caller, refusal: REFUSALS[code] ?? null };
  }

  /**
   * An API key, for a verification.
   * @param accountId the account that it must be of; null for any.
   * @param strong whether memory must hold everything that was stored before the question.
   * @param askedAt when the question was asked, by `performance.now()`.
   * @returns null for a key of another account, a management key, a deleted key and one that never was.
   * @throws Unavailable when the log does not say in time how old memory is.
   */
  async apiKey(
    accountId: string | null,
    hash: string,
    strong: boolean,
    askedAt: number,
  ): Promise<Key | null> {
    await this.#freshEnough(strong, askedAt);
    const read = () => this.reader.apiKey(hash);
    const known = await this.#find('api', {
      hash,
      kind: 'api',
      caller: accountId ?? 'operators',
      read,
    });
    if (known?.kind !== 'api') return null;
    return accountId === null || known.caller.accountId === accountId ? known.key : null;
  }

  async #freshEnough(strong: boolean, askedAt: number): Promise<void> {
    if (this.freshness.eachRequest) await this.#follower.since(askedAt);
    else if (strong) await this.#follower.lookWithin(STRONG_WITHIN_MS);
    else await this.#follower.within(this.freshness.maxStalenessMs);
  }

  /** Looks at the log. @returns false when the log does not answer in time. Then the streams of the key are read. */
  async #hasLooked(): Promise<boolean> {
    try {
      await this.#follower.lookWithin(MANAGEMENT_LOOK_MS);
      return true;
    } catch (error) {
      if (error instanceof Unavailable || error instanceof Denied) return false;
      throw error;
    }
  }

  /**
   * Callers share a look-up, but never the news of a key that changed since, nor that there was none before they asked.
   * @param way the look-ups that may be shared.
   * @param believed whether memory is young enough.
   */
  async #find(way: string, lookUp: LookUp, believed = true): Promise<KnownKey | null> {
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

  /** @returns null for a key that nobody has, as the directories say beyond the bounds of look-ups. */
  async #begin(name: string, { hash, kind, caller, read }: LookUp): Promise<Shared | null> {
    const isAllowed = this.#cold.take();
    if (!isAllowed) {
      if (!(await this.reader.isListed(hash, kind))) return null;
      const begunMeanwhile = this.#underWay.get(name);
      if (begunMeanwhile) return begunMeanwhile;
    }
    const reading: Reading = {};
    const found = this.#cold.run({
      // One host has a network of IPv6 addresses. Other callers stay as they are.
      caller: hostNetworkOf(caller),
      isAllowed,
      read: async () => {
        reading.readAt = performance.now();
        const underWay = this.#known.begin(hash);
        reading.underWay = underWay;
        let known: KnownKey | null = null;
        try {
          known = await read();
          return known;
        } finally {
          this.#known.end(underWay, known);
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
