import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../../kernel/errors.js';
import type { Read } from '../../kernel/read.js';
import {
  WORKSPACE_DIRECTORY,
  type WorkspaceDirectory,
} from '../accounts/published/workspace-directory.js';
import { effectiveKey, type Key, unknownWorkspace } from './domain/key.js';
import { KeyDirectory, type KeyPage, type KeysRead } from './key-directory/key-directory.js';
import type { KeyPageWanted } from './key-directory/key-pages.js';

const ALL_WORKSPACES = 'all';

/** An account, with the workspace that is never deleted. */
interface Account {
  readonly accountId: string;
  readonly defaultWorkspaceId: string;
}

/** The keys of the key directory as callers see them: a key whose workspace was deleted counts as disabled (ADR 22). */
@Injectable()
export class EffectiveKeys {
  constructor(
    private readonly directory: KeyDirectory,
    @Inject(WORKSPACE_DIRECTORY) private readonly workspaces: WorkspaceDirectory,
  ) {}

  /**
   * Lists keys of an account, newest first (docs/api.md 3.7). Without a filter and a workspace, lists the keys of the
   * default workspace; with `all`, those of all workspaces.
   * @throws Refusal for an unknown workspace.
   */
  async page(account: Account, wanted: KeyPageWanted): Promise<KeyPage> {
    const { accountId, defaultWorkspaceId } = account;
    const { workspaceId = wanted.filter ? ALL_WORKSPACES : defaultWorkspaceId } = wanted;
    if (workspaceId === ALL_WORKSPACES) {
      const found = await this.directory.page(accountId, { ...wanted, workspaceId: undefined });
      return this.#effective(account, found);
    }
    if (workspaceId !== defaultWorkspaceId) {
      const { found, isLate } = await this.workspaces.hasWorkspace(accountId, workspaceId);
      if (!found) throw unknownWorkspace(isLate);
    }
    return this.directory.page(accountId, { ...wanted, workspaceId });
  }

  /** Returns a key of an account. @throws Refusal when the account has no such key. */
  async find(account: Account, hash: string): Promise<Read<Key>> {
    const read = await this.directory.ownKey(account.accountId, hash);
    const { keys, isLate } = await this.#effective(account, read);
    const [found] = keys;
    if (!found) throw notFound();
    return { found, isLate };
  }

  /**
   * Asks about the workspaces of all keys in one look-up.
   * @throws Unreadable when the account is parked in the account directory, and a key is in another workspace.
   */
  async #effective<Keys extends KeysRead>(account: Account, read: Keys): Promise<Keys> {
    const ids = new Set(read.keys.map((key) => key.workspace_id));
    ids.delete(account.defaultWorkspaceId);
    if (ids.size === 0) return read;
    const gone = await this.workspaces.goneWorkspaces(account.accountId, [...ids], read.position);
    return {
      ...read,
      keys: read.keys.map((key) => effectiveKey(key, !gone.has(key.workspace_id))),
    };
  }
}
