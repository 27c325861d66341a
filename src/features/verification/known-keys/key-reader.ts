import { Inject, Injectable } from '@nestjs/common';
import type { EventLog } from '../../../event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { isOutOfReach, Unavailable } from '../../../kernel/errors.js';
import { hasCome } from '../../../kernel/utc-timestamp.js';
import { AccountDirectory } from '../../accounts/account-directory/account-directory.js';
import type { ManagementKey, OpenAccount } from '../../accounts/domain/account.js';
import { AccountFacts } from '../../accounts/published/account-facts.js';
import {
  accountOfManagementKey,
  effectiveKey,
  isKey,
  keyOfLaterString,
} from '../../keys/domain/key.js';
import { KeyFacts } from '../../keys/published/key-facts.js';
import type { KnownKey, KnownString } from './known-keys.js';

/**
 * Reads keys that are not in memory from the log alone. The stream of a string says whose it is, so
 * no directory, which may be behind, decides who may act in an account.
 */
@Injectable()
export class KeyReader {
  #isBegun = false;

  constructor(
    private readonly accountFacts: AccountFacts,
    private readonly keyFacts: KeyFacts,
    @Inject(MANAGEMENT.log) private readonly log: EventLog,
    private readonly accounts: AccountDirectory,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param turn the account or address for which the read takes its turn with other loads. */
  async readApiKey(hash: string, turn: string): Promise<KnownKey | KnownString | null> {
    const key = await this.keyFacts.key(hash, turn);
    const keyHash = keyOfLaterString(key);
    if (keyHash !== null) return { kind: 'string', keyHash, isSettled: false };
    if (!isKey(key)) return null;
    const account = await this.accountFacts.account(key.account_id);
    if (!account) return null;
    const { id: account_id } = account;
    // The keys of one account share the account's strings in memory.
    const workspace = account.workspaces.get(key.workspace_id);
    const workspace_id = workspace?.id ?? key.workspace_id;
    const shared = { ...effectiveKey(key, account.workspaces), account_id, workspace_id };
    return {
      kind: 'api',
      key: shared,
      accountKind: account.kind,
      defaultWorkspaceId: account.default_workspace_id,
      cursorSecret: account.cursor_secret,
      budgets: { workspace: workspace?.budget ?? null, endUser: account.end_user_budget },
      epoch: 0,
    };
  }

  /**
   * @param turn as for API keys.
   * @throws Unavailable while the log is empty: the first start has yet to make the first key.
   */
  async readManagementKey(hash: string, turn: string): Promise<KnownKey | 'revoked' | null> {
    const owner = await this.keyFacts.key(hash, turn);
    if (owner === null) await this.#requireBegun();
    const accountId = accountOfManagementKey(owner);
    if (accountId === null) return null;
    const account = await this.accountFacts.account(accountId);
    const key = account?.managementKeys.get(hash);
    if (!account) return null;
    return key ? knownKey(account, key) : this.#formerKey(account, hash);
  }

  /**
   * Says what a key was that opens nothing, as far as the account directory knows by now: revoked,
   * or expired before a new key took its place; null for a creation that was cut off.
   */
  async #formerKey(account: OpenAccount, hash: string): Promise<KnownKey | 'revoked' | null> {
    const key = await this.accounts.projectedManagementKey(hash).catch((error: unknown) => {
      if (isOutOfReach(error)) return undefined;
      throw error;
    });
    if (!key) return null;
    const hasExpired = key.revoked_at === null && hasCome(key.expires_at, this.clock.now());
    return hasExpired ? knownKey(account, key) : 'revoked';
  }

  async #requireBegun(): Promise<void> {
    this.#isBegun ||= (await this.log.identity()) !== null;
    if (!this.#isBegun) throw new Unavailable('event log', 'it is empty, and has no key yet');
  }
}

function knownKey(account: OpenAccount, key: ManagementKey): KnownKey {
  const caller = {
    keyKind: 'management',
    keyHash: key.hash,
    stringHash: null,
    keyName: key.name,
    accountId: account.id,
    accountKind: account.kind,
    accountName: account.name,
    defaultWorkspaceId: account.default_workspace_id,
    cursorSecret: account.cursor_secret,
    userId: key.user_id,
    role: key.role,
    expiresAt: key.expires_at,
  } as const;
  return { kind: 'management', caller, epoch: 0 };
}
