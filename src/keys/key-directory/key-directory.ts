import { Inject, Injectable } from '@nestjs/common';
import type { WorkspaceKeys } from '../../accounts/published/workspace-keys.js';
import type { Position } from '../../kernel/position.js';
import { type Counts, countsOf, sumOf } from '../../projections/rank-counts.js';
import {
  type ReadModel,
  ReadModels,
  requireNoneParked,
  requireNotParked,
} from '../../projections/read-model.js';
import type { Key } from '../domain/key.js';
import {
  keyDirectory,
  type KeyDocument,
  type KeyScope,
  scopeKey,
} from './key-directory.projection.js';
import { type FoundKeys, type KeyPageWanted, pageOf } from './key-pages.js';

export interface KeyRead {
  readonly key: Key | null;
  /** The log position that `key` reflects at least. */
  readonly position: Position;
}

export interface KeyPage extends FoundKeys {
  /** The log position that the page reflects at least. */
  readonly position: Position;
}

/** The queries of the directory. Unless a wait times out, `key` and `page` see all writes answered before the call. */
@Injectable()
export class KeyDirectory implements WorkspaceKeys {
  readonly #model: ReadModel;

  constructor(@Inject(ReadModels) models: ReadModels) {
    this.#model = models.of(keyDirectory);
  }

  /** Returns a key of any account; null when no key has the hash. */
  async key(hash: string): Promise<KeyRead> {
    const { found, position } = await this.#model.read(null, async (view) => {
      const key = await view.get<KeyDocument>('keys', hash);
      if (key) await requireNotParked(view, keyDirectory.name, key.account_id);
      return key ?? null;
    });
    return { key: found, position };
  }

  /** Returns a key that has existed; null if deleted. @throws Unavailable if the directory lags and lacks the key. */
  async knownKey(hash: string): Promise<KeyRead> {
    const read = await this.key(hash);
    if (read.key) return read;
    await this.#model.reached();
    return this.key(hash);
  }

  /**
   * Returns the given hashes that belong to a key, as of the call or later.
   * @throws Unavailable when the directory is not up to date, and when at least one account is parked.
   */
  async listed(hashes: readonly string[]): Promise<string[]> {
    await this.#model.reached();
    return this.#model.projected(null, async (view) => {
      await requireNoneParked(view, keyDirectory.name);
      return [...(await view.getMany('keys', hashes)).keys()];
    });
  }

  /**
   * Returns a page of the keys of an account in a list, newest first, and the count of all keys in the list.
   * The page and the count are from one point of the log.
   */
  async page(accountId: string, wanted: KeyPageWanted): Promise<KeyPage> {
    const { found, position } = await this.#model.read(accountId, (view) =>
      pageOf(view, accountId, wanted),
    );
    return { position, ...found };
  }

  async count(accountId: string, workspaceId: string): Promise<number> {
    await this.#model.reached();
    return this.#countOf(accountId, { owner: 'workspace_id', id: workspaceId });
  }

  /**
   * Counts the keys of an account, without deleted keys, from the events that the directory has folded already. Of a
   * parked account these are the events before the one that cannot be read.
   */
  projectedCount(accountId: string): Promise<number> {
    return this.#countOf(null, { owner: 'account_id', id: accountId });
  }

  /** @param accountId the account that must not be parked. Null when the count may lack events of a parked account. */
  async #countOf(accountId: string | null, scope: KeyScope): Promise<number> {
    const kept = await this.#model.projected(accountId, (view) =>
      view.get<Counts>('scopes', scopeKey(scope)),
    );
    return sumOf(countsOf(kept, 'all'));
  }
}
