import { Inject, Injectable } from '@nestjs/common';
import type { WorkspaceKeys } from '../../accounts/published/workspace-keys.js';
import type { Position } from '../../kernel/position.js';
import { BLOCK_SIZE, blockStart, seek, sumOf } from '../../projections/rank-counts.js';
import { ReadYourWrites } from '../../projections/read-your-writes.js';
import {
  READ_STORE,
  type ReadModel,
  type ReadStore,
  type ReadView,
} from '../../read-store/read-store.js';
import type { Key } from '../domain/key.js';
import {
  chunkKey,
  type CountsDocument,
  keyDirectory,
  type KeyDocument,
  type KeyScope,
  scopeKey,
} from './key-directory.projection.js';

export interface KeyPageWanted {
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

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    @Inject(ReadYourWrites) private readonly readYourWrites: ReadYourWrites,
  ) {
    this.#model = store.readModel(keyDirectory);
  }

  /** A key of whatever account; null when there is none such. */
  async key(hash: string): Promise<KeyRead> {
    const position = await this.readYourWrites.settled(keyDirectory.name);
    return { key: await this.#projected(hash), position };
  }

  /** As `key`, for who knows that it was there. @throws Unavailable when the directory is behind and does not have it yet. */
  async knownKey(hash: string): Promise<KeyRead> {
    const read = await this.key(hash);
    if (read.key) return read;
    await this.readYourWrites.reached(keyDirectory.name);
    return this.key(hash);
  }

  /** Keys of a scope, newest first, and their count, both from one point of the log. */
  async page(wanted: KeyPageWanted): Promise<KeyPage> {
    const position = await this.readYourWrites.settled(keyDirectory.name);
    const page = await this.#model.snapshot((view) => pageOf(view, wanted));
    return { position, ...page };
  }

  async count(workspaceId: string): Promise<number> {
    await this.readYourWrites.reached(keyDirectory.name);
    return this.#countOf({ kind: 'workspace', id: workspaceId });
  }

  /** How many keys an account has, deleted ones not counted, from what is projected already. */
  projectedCount(accountId: string): Promise<number> {
    return this.#countOf({ kind: 'account', id: accountId });
  }

  async #countOf(scope: KeyScope): Promise<number> {
    const kept = await this.#model.get<CountsDocument>('scopes', scopeKey(scope));
    return sumOf(kept?.document.all ?? []);
  }

  async #projected(hash: string): Promise<Key | null> {
    return (await this.#model.get<KeyDocument>('keys', hash))?.document ?? null;
  }
}

async function pageOf(
  view: ReadView,
  { scope, includeDisabled, offset, limit }: KeyPageWanted,
): Promise<Omit<KeyPage, 'position'>> {
  const countsOf = async (collection: string, name: string): Promise<readonly number[]> => {
    const counts = (await view.get<CountsDocument>(collection, name))?.document;
    return (includeDisabled ? counts?.all : counts?.enabled) ?? [];
  };
  const chunks = await countsOf('scopes', scopeKey(scope));
  const total = sumOf(chunks);
  const chunk = seek(chunks, offset, 'descending');
  if (!chunk) return { keys: [], total };
  const blocks = await countsOf('chunks', chunkKey(scopeKey(scope), chunk.index));
  const block = seek(blocks, chunk.skip, 'descending');
  if (!block) throw new Error(`the counts of ${scopeKey(scope)} contradict each other`);
  const owner = { [`${scope.kind}_id`]: scope.id };
  const keys = await view.find<KeyDocument>('keys', {
    index: includeDisabled ? `of_${scope.kind}` : `enabled_of_${scope.kind}`,
    equals: includeDisabled ? owner : { disabled: false, ...owner },
    to: blockStart(chunk.index, block.index) + BLOCK_SIZE - 1,
    descending: true,
    skip: block.skip,
    limit,
  });
  return { keys, total };
}
