import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { AccountDirectory } from '../accounts/account-directory/account-directory.js';
import {
  accountDirectory,
  type ManagementKeyDocument,
} from '../accounts/account-directory/account-directory.projection.js';
import { AccountFacts } from '../accounts/published/account-facts.js';
import { EVENT_LOG, type EventLog } from '../event-log/event-log.js';
import type { FoundKey, KeyFinder, KeySearch } from '../http/bearer-key.js';
import { CLOCK, type Clock } from '../kernel/clock.js';
import { effectiveKey, type Key } from '../keys/domain/key.js';
import { noUsage } from '../keys/domain/usage.js';
import { type VerificationCode, verify } from '../keys/domain/verification.js';
import { KeyFacts } from '../keys/published/key-facts.js';
import { ReadYourWrites } from '../projections/read-your-writes.js';
import { ColdLookUps } from './cold-look-ups.js';
import { type KnownKey, KnownKeys } from './known-keys.js';
import { LogFollower } from './log-follower.js';

/** How old memory may be on the routes of management (docs/api.md 1.2). */
const MANAGEMENT_MAX_AGE_MS = 1_000;

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

/** A look-up that callers share. */
interface Shared {
  readonly found: Promise<KnownKey | null>;
  /** By `performance.now()`; undefined while the look-up waits for its turn. */
  readAt?: number;
}

/**
 * Finds the keys of requests: in memory, else in the log. The log says whether a key is live, and not a directory, which
 * may be behind. A management key has no stream of its own, so the account directory says which account to ask.
 */
@Injectable()
export class KeyLookUp implements KeyFinder, OnApplicationBootstrap, OnApplicationShutdown {
  readonly #known = new KnownKeys();
  readonly #follower: LogFollower;
  readonly #cold = new ColdLookUps();
  readonly #underWay = new Map<string, Shared>();

  constructor(
    @Inject(AccountDirectory) private readonly accounts: AccountDirectory,
    @Inject(AccountFacts) private readonly accountFacts: AccountFacts,
    @Inject(KeyFacts) private readonly keyFacts: KeyFacts,
    @Inject(ReadYourWrites) private readonly readYourWrites: ReadYourWrites,
    @Inject(EVENT_LOG) log: EventLog,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(FRESHNESS) private readonly freshness: Freshness,
  ) {
    this.#follower = new LogFollower(log, this.#known);
  }

  onApplicationBootstrap(): void {
    this.#follower.start();
  }

  onApplicationShutdown(): void {
    this.#follower.stop();
  }

  async find(
    hash: string,
    { mayWait, forVerification = false }: KeySearch,
  ): Promise<FoundKey | null> {
    if (forVerification) await this.#freshEnough(false);
    else if (this.freshness.eachRequest || this.#follower.ageMs > MANAGEMENT_MAX_AGE_MS) {
      await this.#follower.look();
    }
    const known =
      this.#known.get(hash) ??
      (await this.#lookUp(hash, 'any', 'authentication', () => this.#anyKey(hash, mayWait)));
    if (known?.kind !== 'api') return known;
    const { kind, caller, key } = known;
    const code = verify(key, noUsage, this.clock.now());
    return { kind, caller, refusal: REFUSALS[code] ?? null };
  }

  /**
   * An API key of an account, for a verification.
   * @param strong whether memory must hold everything that was stored before the call.
   * @returns null for a key of another account, a management key, a deleted key and one that never was.
   * @throws Unavailable when the log does not say in time how old memory is.
   */
  async apiKey(accountId: string, hash: string, strong: boolean): Promise<Key | null> {
    await this.#freshEnough(strong);
    const known =
      this.#known.get(hash) ??
      (await this.#lookUp(hash, 'api', accountId, () => this.#apiKey(hash)));
    return known?.kind === 'api' && known.caller.accountId === accountId ? known.key : null;
  }

  async #freshEnough(strong: boolean): Promise<void> {
    if (this.freshness.eachRequest) await this.#follower.look();
    else await this.#follower.within(strong ? 0 : this.freshness.maxStalenessMs);
  }

  /** Reads a key from the log. Callers share a look-up, but never the news that there was no key before they asked. */
  async #lookUp(
    hash: string,
    kind: 'any' | 'api',
    caller: string,
    read: () => Promise<KnownKey | null>,
  ): Promise<KnownKey | null> {
    const asked = performance.now();
    const name = `${kind} ${hash}`;
    for (;;) {
      const shared = this.#underWay.get(name) ?? this.#begin(name, hash, caller, read);
      const found = await shared.found;
      if (found ?? (shared.readAt ?? 0) >= asked) return found;
    }
  }

  #begin(name: string, hash: string, caller: string, read: () => Promise<KnownKey | null>): Shared {
    const found = this.#cold.run(caller, async () => {
      shared.readAt = performance.now();
      const lookUp = this.#known.begin(hash);
      let known: KnownKey | null = null;
      try {
        known = await read();
        return known;
      } finally {
        this.#known.end(lookUp, known);
      }
    });
    const shared: Shared = { found };
    this.#underWay.set(name, shared);
    const ended = (): void => void this.#underWay.delete(name);
    found.then(ended, ended);
    return shared;
  }

  async #anyKey(hash: string, mayWait: boolean): Promise<KnownKey | null> {
    const projected = await this.accounts.projectedManagementKey(hash);
    if (projected) return this.#managementKey(projected);
    const apiKey = await this.#apiKey(hash);
    return apiKey ?? (mayWait ? this.#newManagementKey(hash) : null);
  }

  /** Waits for the directory, as the key may be new. @throws Unavailable when the directory takes too long. */
  async #newManagementKey(hash: string): Promise<KnownKey | null> {
    await this.readYourWrites.reached(accountDirectory.name);
    const projected = await this.accounts.projectedManagementKey(hash);
    return projected ? this.#managementKey(projected) : null;
  }

  async #managementKey(key: ManagementKeyDocument): Promise<KnownKey | null> {
    const { hash, account_id: accountId } = key;
    const account = await this.accountFacts.account(accountId);
    if (!account?.hasLiveManagementKey(hash)) return null;
    return {
      kind: 'management',
      caller: {
        keyKind: 'management',
        keyHash: hash,
        keyName: key.name,
        accountId,
        accountKind: account.kind,
        defaultWorkspaceId: account.defaultWorkspaceId,
        userId: key.user_id,
      },
    };
  }

  async #apiKey(hash: string): Promise<KnownKey | null> {
    const key = await this.keyFacts.key(hash);
    const account = key && (await this.accountFacts.account(key.account_id));
    if (!account) return null;
    return {
      kind: 'api',
      caller: {
        keyKind: 'api',
        keyHash: hash,
        keyName: key.name,
        accountId: key.account_id,
        accountKind: account.kind,
        defaultWorkspaceId: account.defaultWorkspaceId,
        userId: key.creator_user_id,
      },
      key: effectiveKey(key, account.hasWorkspace(key.workspace_id)),
    };
  }
}
