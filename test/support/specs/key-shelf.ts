import { SqliteEventLog } from '../../../src/event-sourcing/event-log/sqlite/sqlite-event-log.js';
import type { Recorded } from '../../../src/kernel/event.js';
import type { KeyEvent } from '../../../src/features/keys/domain/key.events.js';
import { KeyDirectory } from '../../../src/features/keys/key-directory/key-directory.js';
import { keyDirectory } from '../../../src/features/keys/key-directory/key-directory.projection.js';
import type {
  KeyFilter,
  KeyPageWanted,
} from '../../../src/features/keys/key-directory/key-pages.js';
import { SqliteReadStore } from '../../../src/event-sourcing/read-store/sqlite/sqlite-read-store.js';
import { keyCreated } from '../histories/keys.js';
import { FoldedByHand } from './folded-by-hand.js';
import { metadataAt } from './metadata-at.js';

const ACCOUNT = 'account-1';

/** A list of keys: those of a workspace or of the whole account, with or without a filter. */
export type KeyList = Partial<Pick<KeyPageWanted, 'workspaceId' | 'filter'>>;

/** A key in the plain list. */
interface Shelved {
  readonly hash: string;
  readonly disabled: boolean;
  readonly workspace: string;
  readonly name: string;
  readonly creator: string;
  readonly user: string | null;
  readonly expires: string | null;
}

/** The fields of a key that a test chooses, by the number of the key. */
export type Chosen = (
  number: number,
) => Pick<Shelved, 'workspace'> & Partial<Pick<Shelved, 'name' | 'creator' | 'user' | 'expires'>>;

/**
 * Keys of one account in two forms: a plain list, which is obviously right, and a key directory
 * over a real read store. `settle` folds all changes in one batch.
 */
export class KeyShelf {
  readonly directory: KeyDirectory;
  readonly #log = new SqliteEventLog(':memory:');
  readonly #store = new SqliteReadStore(':memory:');
  readonly #pending: Recorded<KeyEvent>[] = [];
  readonly #folded = new FoldedByHand(keyDirectory, this.#store, this.#log);
  #recorded = 0;
  #created = 0;
  #keys: readonly Shelved[] = [];

  constructor() {
    this.directory = new KeyDirectory(this.#folded.models);
  }

  /** The keys, oldest first. */
  get keys(): readonly Shelved[] {
    return this.#keys;
  }

  create(count: number, choose: Chosen): void {
    const created: Shelved[] = [];
    for (let index = 0; index < count; index += 1) {
      const defaults = { name: 'first', creator: 'ada', user: null, expires: null };
      const chosen = { ...defaults, ...choose(this.#created) };
      const { workspace, name, creator, user, expires } = chosen;
      const hash = `key-${this.#created}`;
      this.#created += 1;
      const external = user === null ? null : { user, lookup_key_hash: null };
      const fields = { hash, name, workspace_id: workspace, creator_user_id: creator, external };
      this.#record(keyCreated({ ...fields, expires_at: expires }));
      created.push({ hash, disabled: false, ...chosen });
    }
    this.#keys = [...this.#keys, ...created];
  }

  /** Changes each key that is chosen; null deletes it. */
  change(
    chosen: (key: Shelved, index: number) => boolean,
    to: (key: Shelved, index: number) => Shelved | null,
  ): void {
    this.#keys = this.#keys.flatMap((key, index) => {
      if (!chosen(key, index)) return [key];
      const after = to(key, index);
      this.#recordChange(key, after);
      return after ? [after] : [];
    });
  }

  /** Folds the new events. */
  async settle(): Promise<void> {
    await this.#folded.fold(this.#pending.splice(0));
  }

  count(workspace: string): Promise<number> {
    return this.directory.count(ACCOUNT, workspace);
  }

  /** Gives a page twice: from the directory and from the list. */
  async pages(
    { workspaceId, filter }: KeyList,
    includeDisabled: boolean,
    offset: number,
    limit: number,
  ): Promise<{ found: Page; right: Page }> {
    const wanted = { workspaceId, filter, includeDisabled, offset, limit };
    const { found } = await this.directory.page(ACCOUNT, wanted);
    const matching = this.#keys
      .filter((key) => workspaceId === undefined || key.workspace === workspaceId)
      .filter((key) => isWanted(key, filter))
      .filter((key) => includeDisabled || !key.disabled)
      .reverse();
    // A stable sort: keys of equal expiry stay in the order of creation.
    if (filter?.field === 'expires_at') matching.reverse().sort(bySoonestExpiry);
    const hashesOf = (keys: readonly { hash: string }[]): string[] => keys.map(({ hash }) => hash);
    return {
      found: { hashes: hashesOf(found.documents), total: found.total },
      right: { hashes: hashesOf(matching.slice(offset, offset + limit)), total: matching.length },
    };
  }

  async close(): Promise<void> {
    await this.#store.close();
    await this.#log.close();
  }

  #recordChange(before: Shelved, after: Shelved | null): void {
    const { hash, disabled, workspace, name, expires } = before;
    if (!after) {
      this.#record({ type: 'ApiKeyDeleted', data: { hash } });
      return;
    }
    if (after.name !== name) {
      const data = { hash, name: after.name, previous_name: name };
      this.#record({ type: 'ApiKeyRenamed', data });
    }
    if (after.workspace !== workspace) {
      const data = { hash, workspace_id: after.workspace, previous_workspace_id: workspace };
      this.#record({
        type: 'ApiKeyMovedToWorkspace',
        data: { ...data, moved_with_key: [], left_behind: [] },
      });
    }
    if (after.expires !== expires) {
      const data = { hash, expires_at: after.expires, previous_expires_at: expires };
      this.#record({ type: 'ApiKeyExpiryChanged', data });
    }
    if (after.disabled !== disabled) {
      this.#record({ type: after.disabled ? 'ApiKeyDisabled' : 'ApiKeyEnabled', data: { hash } });
    }
  }

  #record(event: KeyEvent): void {
    this.#recorded += 1;
    this.#pending.push({
      ...event,
      id: `event-${this.#recorded}`,
      position: String(this.#recorded).padStart(9, '0'),
      metadata: metadataAt(0, ACCOUNT),
    });
  }
}

interface Page {
  readonly hashes: readonly string[];
  readonly total: number;
}

function isWanted({ creator, user, expires }: Shelved, filter: KeyFilter | undefined): boolean {
  if (filter === undefined) return true;
  if (filter.field !== 'expires_at') {
    return (filter.field === 'creator_user_id' ? creator : user) === filter.value;
  }
  return expires !== null && expires >= (filter.from ?? '') && expires < filter.before;
}

function bySoonestExpiry({ expires: one }: Shelved, { expires: other }: Shelved): number {
  return (one ?? '') < (other ?? '') ? -1 : Number(one !== other);
}
