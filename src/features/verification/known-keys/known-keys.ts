import { LRUCache } from 'lru-cache';
import type { Caller } from '../../../edge/http/callers/caller.js';
import type { RecordedEvent } from '../../../event-sourcing/event-log/event-log.js';
import { bytesOf, bytesOfTexts } from '../../../kernel/sizes.js';
import type { AccountEvent } from '../../accounts/domain/account.events.js';
import { accountOfStream } from '../../accounts/domain/account.js';
import { hashOfKeyStream, type Key } from '../../keys/domain/key.js';
import { bytesOfStrings, stringOf } from '../../keys/domain/key-strings.js';
import type { FollowingMemory } from '../../../event-sourcing/event-log/log-follower.js';
import type { KeyBudgets, KnownBudgets } from './known-budgets.js';

/** An API key that is not deleted, with what makes the caller who uses the key. */
export interface KnownApiKey extends Pick<
  Caller,
  'accountKind' | 'defaultWorkspaceId' | 'cursorSecret'
> {
  readonly kind: 'api';
  /** The effective key: a key whose workspace was deleted is disabled. */
  readonly key: Key;
  /** The budgets read with the key; null once memory keeps the key, because events change them. */
  budgets: KeyBudgets | null;
  /** How often all keys of the account had become outdated when memory took the key. */
  epoch: number;
}

/** A key that is neither deleted nor revoked. */
export type KnownKey =
  { readonly kind: 'management'; readonly caller: Caller; epoch: number } | KnownApiKey;

/** A later string of an API key, which is a pointer to the key and no second key. */
export interface KnownString {
  readonly kind: 'string';
  readonly keyHash: string;
  /**
   * Whether the string was live once, or its end was read. If it is not live then, it has ended,
   * and that is final. Any other string that is not live may be about to be added.
   */
  isSettled: boolean;
}

/** A look-up under way. It becomes outdated when an event may change the key that it finds. */
export interface LookUpUnderWay {
  readonly hash: string;
  /** The time when the look-up began, by `performance.now()`. */
  readonly begunAt: number;
  /** Accounts whose keys or budgets changed meanwhile. The key's own is unknown until the end. */
  readonly outdatedAccounts: Set<string>;
  isOutdated: boolean;
}

const MOST_KEY_BYTES = 96 * 1024 * 1024;
/** The measured bytes in memory of an entry without its strings. */
const KEY_ENTRY_BYTES = 320;
/** The bytes of an entry of a later string, without the two hashes. */
const STRING_ENTRY_BYTES = 250;
/** The most accounts in `#epochs`. Beyond this number, memory forgets all keys and begins anew. */
const MOST_EPOCHS = 10_000;

/** Account events that change no key. All others, even of an unknown type, may change keys. */
const CHANGE_NO_KEY: ReadonlySet<string> = new Set<AccountEvent['type']>([
  'AccountCreated',
  'MemberAdded',
  'MemberRemoved',
  'ManagementKeyCreated',
  'WorkspaceCreated',
  'WorkspaceRenamed',
  'WorkspaceSlugChanged',
  'WorkspaceDescriptionChanged',
  'WorkspaceRestricted',
  'WorkspaceMemberAdded',
  'WorkspaceMemberRemoved',
  'WorkspaceBudgetSet',
  'WorkspaceBudgetRemoved',
  'AccountEndUserBudgetSet',
  'AccountEndUserBudgetRemoved',
]);

/** A cache of keys in use, by hash, bounded in bytes. Events drop the keys that they may change. */
export class KnownKeys implements FollowingMemory {
  readonly #known: LRUCache<string, KnownKey | KnownString>;
  readonly #underWay = new Set<LookUpUnderWay>();
  /** How often all keys of an account, by its id, became outdated, as by a deleted workspace. */
  readonly #epochs = new Map<string, number>();

  constructor(
    private readonly budgets: KnownBudgets,
    mostBytes = MOST_KEY_BYTES,
  ) {
    this.#known = new LRUCache({ maxSize: mostBytes });
  }

  get count(): number {
    return this.#known.size;
  }

  /** Returns the key that a string opens, or that the string is known to have opened. */
  get(hash: string): KnownKey | undefined {
    const known = this.#current(this.#known.get(hash));
    if (!known) this.#known.delete(hash);
    if (known?.kind !== 'string') return known;
    const key = this.#current(this.#known.get(known.keyHash));
    if (key?.kind !== 'api') return undefined;
    known.isSettled ||= hasString(key, hash);
    return known.isSettled ? key : undefined;
  }

  budgetsOf({ budgets, key }: KnownApiKey): KeyBudgets {
    return budgets ?? this.budgets.of(key);
  }

  /** Returns the hash of the key whose later string a string is known to be. */
  keyOfString(hash: string): string | undefined {
    const known = this.#known.get(hash);
    return known?.kind === 'string' ? known.keyHash : undefined;
  }

  /** Returns the key that has a string, live or not, which does not count as a use of the key. */
  peek(hash: string): KnownKey | undefined {
    const known = this.#current(this.#known.peek(hash));
    if (known?.kind !== 'string') return known;
    const key = this.#current(this.#known.peek(known.keyHash));
    return key?.kind === 'string' ? undefined : key;
  }

  /** Begins a look-up. Callers call it before they read the key from the log. */
  begin(hash: string): LookUpUnderWay {
    const begunAt = performance.now();
    const lookUp = { hash, begunAt, outdatedAccounts: new Set<string>(), isOutdated: false };
    this.#underWay.add(lookUp);
    return lookUp;
  }

  /** Ends a look-up, and keeps its key unless an event may have changed it meanwhile. */
  end(lookUp: LookUpUnderWay, known: KnownKey | KnownString | null): void {
    this.#underWay.delete(lookUp);
    if (!known) return;
    if (known.kind === 'string') {
      this.#keepString(lookUp.hash, known);
      return;
    }
    const accountId = accountIdOf(known);
    if (lookUp.outdatedAccounts.has(accountId)) lookUp.isOutdated = true;
    if (lookUp.isOutdated) return;
    const [hash, holder] =
      known.kind === 'api' ? [known.key.hash, known.key] : [lookUp.hash, known.caller];
    known.epoch = this.#epochOf(accountId);
    // The hash of the look-up would stay in memory beside the equal one of the key.
    const strings = known.kind === 'api' ? bytesOfStrings(known.key) : 0;
    if (known.kind === 'api' && known.budgets) {
      this.budgets.keep(known.key, known.budgets);
      known.budgets = null;
    }
    this.#known.set(hash, known, { size: KEY_ENTRY_BYTES + bytesOfTexts(holder) + strings });
  }

  #keepString(hash: string, known: KnownString): void {
    const size = STRING_ENTRY_BYTES + 2 * bytesOf(hash);
    this.#known.set(hash, known, { size });
  }

  apply(event: Pick<RecordedEvent, 'stream' | 'type' | 'data'>): void {
    const { stream, type, data } = event;
    const hash = hashOfKeyStream(stream);
    const accountId = accountOfStream(stream);
    if (type === 'ApiKeyStringEnded') this.#settle(data as { hash: string; string_hash: string });
    if (hash !== undefined) this.#forgetKey(hash);
    else if (type === 'ManagementKeyRevoked') this.#forgetKey((data as { hash: string }).hash);
    else if (accountId !== undefined && !CHANGE_NO_KEY.has(type)) this.#forgetAccount(accountId);
    if (this.budgets.apply(event) && accountId !== undefined) this.#outdateReadsOf(accountId);
  }

  /** Keeps that a string has ended, so that clients that still use it cost no look-up. */
  #settle({ hash: keyHash, string_hash }: { hash: string; string_hash: string }): void {
    // The first string is known by the key itself.
    if (string_hash === keyHash) return;
    this.#keepString(string_hash, { kind: 'string', keyHash, isSettled: true });
  }

  forgetAll(): void {
    this.budgets.forgetAll();
    this.#forgetKeys();
  }

  #forgetKeys(): void {
    this.#known.clear();
    this.#epochs.clear();
    this.#outdate(() => true);
  }

  /** Returns what is known, unless all keys of its account became outdated since. */
  #current(known: KnownKey | KnownString | undefined): KnownKey | KnownString | undefined {
    // Whose a string is never changes.
    if (!known || known.kind === 'string') return known;
    return known.epoch === this.#epochOf(accountIdOf(known)) ? known : undefined;
  }

  #forgetKey(hash: string): void {
    this.#known.delete(hash);
    this.#outdate((lookUp) => lookUp.hash === hash);
  }

  #forgetAccount(accountId: string): void {
    if (this.#epochs.size >= MOST_EPOCHS) this.#forgetKeys();
    this.#epochs.set(accountId, this.#epochOf(accountId) + 1);
    this.#outdateReadsOf(accountId);
  }

  #outdateReadsOf(accountId: string): void {
    for (const lookUp of this.#underWay) lookUp.outdatedAccounts.add(accountId);
  }

  #outdate(changed: (lookUp: LookUpUnderWay) => boolean): void {
    for (const lookUp of this.#underWay) if (changed(lookUp)) lookUp.isOutdated = true;
  }

  #epochOf(accountId: string): number {
    return this.#epochs.get(accountId) ?? 0;
  }
}

function accountIdOf(known: KnownKey): string {
  return known.kind === 'api' ? known.key.account_id : known.caller.accountId;
}

/** Whether a key lists a string, live or ended. */
export function hasString(known: KnownKey, hash: string): boolean {
  return known.kind === 'api' && stringOf(known.key, hash) !== undefined;
}
