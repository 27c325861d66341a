import { accountOfStream } from '../accounts/domain/account.js';
import type { AccountEvent } from '../accounts/domain/account.events.js';
import { LRUCache } from 'lru-cache';
import type { RecordedEvent } from '../event-log/event-log.js';
import type { Caller } from '../http/caller.js';
import { bytesOfTexts } from '../kernel/text.js';
import { hashOfKeyStream, type Key } from '../keys/domain/key.js';
import type { FollowingMemory } from './log-follower.js';

/** A key that is neither deleted nor revoked, with its holder. */
export type KnownKey =
  | { readonly kind: 'management'; readonly caller: Caller }
  | {
      readonly kind: 'api';
      readonly caller: Caller;
      /** A key whose workspace is gone is disabled here. */
      readonly key: Key;
    };

type Entry = KnownKey & {
  /** The epoch of the account when the key was looked up. */
  readonly epoch: number;
  /** How many entries had been kept when this one was last moved behind all others. */
  usedAt: number;
};

/** Marks a look-up that is under way when an event may change what it finds. */
export interface LookUpUnderWay {
  readonly hash: string;
  /** The accounts whose keys became outdated together meanwhile. Which account the key is of shows at the end. */
  readonly outdatedAccounts: Set<string>;
  isOutdated: boolean;
}

const MOST_BYTES = 128 * 1024 * 1024;
/** An entry without its texts, as measured. */
const ENTRY_BYTES = 600;
/**
 * An entry counts as just used until so many others came, as a part of all. To move it among the last ones at each look-up
 * touches six places of memory, which takes longer than the look-up.
 */
const STAYS_RECENT = 1 / 8;
/** Accounts that deleted a workspace or removed a member since all was forgotten. */
const MOST_EPOCHS = 10_000;

/** The events of an account that change no key. Every other one does, also one of a later release. */
const CHANGE_NO_KEY: ReadonlySet<string> = new Set<AccountEvent['type']>([
  'AccountCreated',
  'MemberAdded',
  'ManagementKeyCreated',
  'WorkspaceCreated',
  'WorkspaceRenamed',
  'WorkspaceSlugChanged',
  'WorkspaceDescriptionChanged',
  'WorkspaceRestricted',
  'WorkspaceMemberAdded',
  'WorkspaceMemberRemoved',
]);

/** The keys in use, by hash, within a bound of bytes. An event drops the keys that it changes. */
export class KnownKeys implements FollowingMemory {
  readonly #entries: LRUCache<string, Entry>;
  readonly #underWay = new Set<LookUpUnderWay>();
  /** How many entries were kept so far. */
  #kept = 0;
  /** How often keys of an account became outdated together. */
  readonly #epochs = new Map<string, number>();

  constructor(mostBytes = MOST_BYTES) {
    this.#entries = new LRUCache({ maxSize: mostBytes });
  }

  /** How many keys are in memory. */
  get count(): number {
    return this.#entries.size;
  }

  get(hash: string): KnownKey | undefined {
    const entry = this.#entries.peek(hash);
    if (!entry) return undefined;
    if (entry.epoch !== this.#epochOf(entry.caller.accountId)) {
      this.#entries.delete(hash);
      return undefined;
    }
    if (this.#kept - entry.usedAt > this.#entries.size * STAYS_RECENT) this.#use(hash, entry);
    return entry;
  }

  /** Begins a look-up. To be called before the key is read from the log. */
  begin(hash: string): LookUpUnderWay {
    const lookUp = { hash, outdatedAccounts: new Set<string>(), isOutdated: false };
    this.#underWay.add(lookUp);
    return lookUp;
  }

  /** Ends a look-up, and keeps the key unless an event came in between. */
  end(lookUp: LookUpUnderWay, known: KnownKey | null): void {
    this.#underWay.delete(lookUp);
    if (!known) return;
    const { accountId } = known.caller;
    if (lookUp.outdatedAccounts.has(accountId)) lookUp.isOutdated = true;
    if (lookUp.isOutdated) return;
    const texts = bytesOfTexts(known.kind === 'api' ? known.key : known.caller);
    const entry = { ...known, epoch: this.#epochOf(accountId), usedAt: ++this.#kept };
    this.#entries.set(lookUp.hash, entry, { size: ENTRY_BYTES + texts });
  }

  forget({ stream, type, data }: RecordedEvent): void {
    const hash = hashOfKeyStream(stream);
    const accountId = accountOfStream(stream);
    if (hash !== undefined) this.#forgetKey(hash);
    else if (type === 'ManagementKeyRevoked') this.#forgetKey((data as { hash: string }).hash);
    else if (accountId !== undefined && !CHANGE_NO_KEY.has(type)) this.#forgetAccount(accountId);
  }

  forgetAll(): void {
    this.#entries.clear();
    this.#epochs.clear();
    this.#outdate(() => true);
  }

  /** Moves an entry behind all others, which go first. */
  #use(hash: string, entry: Entry): void {
    entry.usedAt = this.#kept;
    this.#entries.get(hash);
  }

  #forgetKey(hash: string): void {
    this.#entries.delete(hash);
    this.#outdate((lookUp) => lookUp.hash === hash);
  }

  #forgetAccount(accountId: string): void {
    if (this.#epochs.size >= MOST_EPOCHS) this.forgetAll();
    this.#epochs.set(accountId, this.#epochOf(accountId) + 1);
    for (const lookUp of this.#underWay) lookUp.outdatedAccounts.add(accountId);
  }

  #outdate(changed: (lookUp: LookUpUnderWay) => boolean): void {
    for (const lookUp of this.#underWay) if (changed(lookUp)) lookUp.isOutdated = true;
  }

  #epochOf(accountId: string): number {
    return this.#epochs.get(accountId) ?? 0;
  }
}
