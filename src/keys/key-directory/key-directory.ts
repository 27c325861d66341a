import { Inject, Injectable } from '@nestjs/common';
import type { WorkspaceKeys } from '../../accounts/published/workspace-keys.js';
import type { Position } from '../../kernel/position.js';
import { type Counts, countsOf, placeOfRank, sumOf } from '../../projections/rank-counts.js';
import {
  type ReadModel,
  ReadModels,
  requireNoneParked,
  requireNotParked,
} from '../../projections/read-model.js';
import type { View } from '../../read-store/read-store.js';
import type { Key } from '../domain/key.js';
import {
  keyDirectory,
  type KeyDocument,
  type KeyScope,
  scopeKey,
} from './key-directory.projection.js';

export interface KeyPageWanted {
  /** The account whose keys they are. Absent: its lists are answered even while it is parked. */
  readonly accountId?: string;
  readonly scope: KeyScope;
  readonly includeDisabled: boolean;
  /** From 0. */
  readonly offset: number;
  readonly limit: number;
}

export interface KeyRead {
  readonly key: Key | null;
  /** The log position that the read reflects at least. */
  readonly position: Position;
}

export interface KeyPage {
  readonly keys: readonly Key[];
  /** All that match, not just this page. */
  readonly total: number;
  /** The log position that the page reflects at least. */
  readonly position: Position;
}

/** Reads of the key directory; each sees every write that was answered before it. */
@Injectable()
export class KeyDirectory implements WorkspaceKeys {
  readonly #model: ReadModel;

  constructor(@Inject(ReadModels) models: ReadModels) {
    this.#model = models.of(keyDirectory);
  }

  /** A key of any account; null when there is none of that hash. */
  async key(hash: string): Promise<KeyRead> {
    const { found, position } = await this.#model.read(null, async (view) => {
      const key = await view.get<KeyDocument>('keys', hash);
      if (key) await requireNotParked(view, keyDirectory.name, key.account_id);
      return key ?? null;
    });
    return { key: found, position };
  }

  /** As `key`, for who knows that it was there. @throws Unavailable when the directory is behind and does not have it yet. */
  async knownKey(hash: string): Promise<KeyRead> {
    const read = await this.key(hash);
    if (read.key) return read;
    await this.#model.reached();
    return this.key(hash);
  }

  /** Those of the hashes that are keys, as of the call or later. @throws Unavailable when the directory is not up to date. */
  async listed(hashes: readonly string[]): Promise<string[]> {
    await this.#model.reached();
    return this.#model.projected(null, async (view) => {
      await requireNoneParked(view, keyDirectory.name);
      return [...(await view.getMany('keys', hashes)).keys()];
    });
  }

  /** Keys of a scope, newest first, and their count, both from one point of the log. */
  async page(wanted: KeyPageWanted): Promise<KeyPage> {
    const { found, position } = await this.#model.read(wanted.accountId ?? null, (view) =>
      pageOf(view, wanted),
    );
    return { position, ...found };
  }

  async count(workspaceId: string): Promise<number> {
    await this.#model.reached();
    return this.#countOf(null, { kind: 'workspace', id: workspaceId });
  }

  /** How many keys an account has, deleted ones not counted, from what is projected already. */
  projectedCount(accountId: string): Promise<number> {
    return this.#countOf(accountId, { kind: 'account', id: accountId });
  }

  async #countOf(accountId: string | null, scope: KeyScope): Promise<number> {
    const counts = await this.#model.projected(accountId, (view) =>
      view.get<Counts>('scopes', scopeKey(scope)),
    );
    return sumOf(countsOf(counts, 'all'));
  }
}

async function pageOf(
  view: View,
  { scope, includeDisabled, offset, limit }: KeyPageWanted,
): Promise<Omit<KeyPage, 'position'>> {
  const flag = includeDisabled ? 'all' : 'enabled';
  const scopeName = scopeKey(scope);
  const chunks = countsOf(await view.get<Counts>('scopes', scopeName), flag);
  const total = sumOf(chunks);
  const place = await placeOfRank(view, scopeName, offset, 'descending', chunks, (counts) =>
    countsOf(counts, flag),
  );
  if (!place) return { keys: [], total };
  const owner = { [`${scope.kind}_id`]: scope.id };
  const { documents: keys } = await view.range<KeyDocument>('keys', {
    index: includeDisabled ? `of_${scope.kind}` : `enabled_of_${scope.kind}`,
    equals: includeDisabled ? owner : { disabled: false, ...owner },
    to: place.to,
    descending: true,
    skip: place.skip,
    limit,
  });
  return { keys, total };
}
