import { Inject, Injectable } from '@nestjs/common';
import type { FoundKey, KeyFinder, KeySearch } from '../../../edge/http/callers/bearer-key.js';
import type { Caller } from '../../../edge/http/callers/caller.js';
import { AccountFacts } from '../../accounts/published/account-facts.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { hasCome } from '../../../kernel/utc-timestamp.js';
import { always } from '../../../event-sourcing/waiting/presence.js';
import { FOREIGN_KEYS } from '../asked-key.js';
import { type VerificationCode, verify } from '../domain/verification.js';
import { type Freshness, FRESHNESS } from './freshness.js';
import { type Asker, KeyMemory } from './key-memory.js';
import type { KnownKey } from './known-keys.js';

/** The maximum age of the keys in memory that the management routes use (docs/api.md 1.2). */
const MANAGEMENT_MAX_AGE_MS = 1_000;

/** The refusals of an API key that asks about itself (docs/api.md 1.2), by verification code. */
const OWN_KEY_REFUSALS: Readonly<
  Partial<Record<VerificationCode, 'key-rotated' | 'key-disabled' | 'key-expired'>>
> = {
  ROTATED: 'key-rotated',
  DISABLED: 'key-disabled',
  EXPIRED: 'key-expired',
};

/** Finds the caller of a request by the hash of the key. */
@Injectable()
export class CallerFinder implements KeyFinder {
  /** Known once there is one: it never changes. */
  #bootstrapKeyHash: Promise<string | null> | undefined;

  constructor(
    private readonly keys: KeyMemory,
    private readonly accounts: AccountFacts,
    @Inject(FOREIGN_KEYS) private readonly foreignKeys: boolean,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(FRESHNESS) private readonly freshness: Freshness,
  ) {}

  async find(hash: string, search: KeySearch): Promise<FoundKey | 'revoked' | null> {
    const asked = performance.now();
    if (search.forVerification === true) {
      await this.keys.ensureFresh(asked);
      return this.#find(hash, search, true);
    }
    const { eachRequest } = this.freshness;
    const since = eachRequest ? asked : asked - MANAGEMENT_MAX_AGE_MS;
    const found = await this.#find(hash, search, await this.keys.reflects(since));
    if (eachRequest || found === 'revoked' || !found?.refusal) return found;
    // The expiry of a management key never changes.
    if (found.caller.keyKind === 'management') return found;
    // The key may have been enabled since the last check.
    return this.#find(hash, search, await this.keys.reflects(asked));
  }

  async #find(
    hash: string,
    { form, address = 'this process', whilePresent = always }: KeySearch,
    believed: boolean,
  ): Promise<FoundKey | 'revoked' | null> {
    const kind = await this.#kindOpenedBy(form, hash);
    if (!kind) return null;
    const asker: Asker = { places: 'unknown', turn: address, whilePresent };
    const known = await this.keys.find(kind, hash, asker, believed);
    if (known === 'revoked' || known === null) return known;
    const now = this.clock.now();
    if (known.kind === 'management') {
      const { caller } = known;
      return { caller, refusal: hasCome(caller.expiresAt, now) ? 'key-expired' : null };
    }
    const code = verify(known.key, hash, [], now);
    return { caller: callerOf(known, hash), refusal: OWN_KEY_REFUSALS[code] ?? null };
  }

  /** Returns the kind of key that a string may open; undefined for none (docs/api.md 3.1). */
  async #kindOpenedBy(
    form: KeySearch['form'],
    hash: string,
  ): Promise<KnownKey['kind'] | undefined> {
    if (form === 'api-key') return 'api';
    if (form === 'management-key') return 'management';
    if (hash === (await this.#bootstrapKey())) return 'management';
    return this.foreignKeys ? 'api' : undefined;
  }

  async #bootstrapKey(): Promise<string | null> {
    const asked = (this.#bootstrapKeyHash ??= this.accounts.bootstrapKeyHash());
    let hash: string | null = null;
    try {
      hash = await asked;
    } finally {
      // The log did not answer, or the first start is not over.
      if (hash === null && this.#bootstrapKeyHash === asked) this.#bootstrapKeyHash = undefined;
    }
    return hash;
  }
}

function callerOf(
  { key, accountKind, defaultWorkspaceId, cursorSecret }: Extract<KnownKey, { kind: 'api' }>,
  stringHash: string,
): Caller {
  return {
    keyKind: 'api',
    keyHash: key.hash,
    stringHash,
    keyName: key.name,
    accountId: key.account_id,
    accountKind,
    accountName: null,
    defaultWorkspaceId,
    cursorSecret,
    userId: key.creator_user_id,
    role: null,
    expiresAt: null,
  };
}
