import { Inject, Injectable } from '@nestjs/common';
import type { KeyCount } from '../../accounts/published/key-count.port.js';
import type { Page } from '../../../kernel/page.js';
import type { Read } from '../../../kernel/read.js';
import { sumOf } from '../../../event-sourcing/projections/rank-counts.js';
import { Unavailable } from '../../../kernel/errors.js';
import { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import type { View } from '../../../event-sourcing/read-store/read-store.js';
import { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import { type Key, ownKey } from '../domain/key.js';
import type { AttributedKey, KeysByString } from '../published/keys-by-string.port.js';
import {
  type KeyCollections,
  keyDirectory,
  type KeyScope,
  scopeKey,
} from './key-directory.projection.js';
import { type KeyPageWanted, pageOfKeys, scopeOf } from './key-pages.js';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';

/** The queries of the directory. `ownKey` and `page` wait, with a time-out, for earlier writes. */
@Injectable()
export class KeyDirectory implements KeyCount, KeysByString {
  readonly #model: ReadModel<KeyCollections>;

  constructor(@Inject(MANAGEMENT.models) private readonly models: ReadModels) {
    this.#model = new ReadModel(keyDirectory, models);
  }

  /** Returns a key of an account. @throws Refusal when the account has no such key. */
  ownKey(accountId: string, hash: string): Promise<Read<Key>> {
    return this.#model.read(
      accountId,
      async (view) => ownKey((await view.get('keys', hash)) ?? null, accountId),
      { keys: [hash] },
    );
  }

  /**
   * Returns a page of the keys of an account in a list, and the count of all keys in the list. The
   * page and the count are from one point of the log.
   */
  page(accountId: string, wanted: KeyPageWanted): Promise<Read<Page<Key>>> {
    const { scope, counts } = scopeOf(accountId, wanted);
    return this.#model.read(accountId, (view) => pageOfKeys(view, scope, wanted), counts);
  }

  async keysOf(
    accountId: string,
    hashes: readonly string[],
  ): Promise<ReadonlyMap<string, AttributedKey>> {
    const { found, isLate } = await this.#model.read(
      accountId,
      (view) => keysByString(view, hashes),
      { keys: hashes },
    );
    if (isLate) throw new Unavailable('read store', 'the key directory is out of date');
    return new Map([...found].filter(([, { account_id }]) => account_id === accountId));
  }

  async count(accountId: string, workspaceId: string): Promise<number> {
    await this.models.wait.requireWrites();
    return this.#countOf(accountId, { owner: 'workspace_id', id: workspaceId });
  }

  /**
   * Counts the keys of an account, without deleted keys, from the events that the directory has
   * folded already. Of a parked account these are the events before the one that cannot be read.
   */
  projectedCount(accountId: string): Promise<number> {
    return this.#countOf(null, { owner: 'account_id', id: accountId });
  }

  /** @param accountId must not be parked. Null if the count may lack events of a parked account. */
  async #countOf(accountId: string | null, scope: KeyScope): Promise<number> {
    const key = scopeKey(scope);
    const kept = await this.#model.readNow(accountId, (view) => view.get('key_counts', key), {
      key_counts: [key],
    });
    return sumOf(kept?.all ?? []);
  }
}

/** Returns keys by the hashes of their strings, the first ones and later ones. */
async function keysByString(
  view: View<KeyCollections>,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Key>> {
  const found = new Map<string, Key>(await view.getMany('keys', hashes));
  const others = hashes.filter((hash) => !found.has(hash));
  const strings = others.length === 0 ? [] : [...(await view.getMany('key_strings', others))];
  if (strings.length === 0) return found;
  const named = new Set(strings.map(([, { key_hash }]) => key_hash));
  const keys = await view.getMany('keys', [...named]);
  for (const [hash, { key_hash }] of strings) {
    const key = keys.get(key_hash);
    if (key) found.set(hash, key);
  }
  return found;
}
