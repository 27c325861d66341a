import { Inject, Injectable } from '@nestjs/common';
import { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import type { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import type { View } from '../../../event-sourcing/read-store/read-store.js';
import type { Position } from '../../../kernel/position.js';
import type { Read } from '../../../kernel/read.js';
import type { KeyTotals, UsageOfKeys } from '../../keys/published/usage-of-keys.port.js';
import type { KeyUsage } from '../domain/key-usage.js';
import { usageIn, windowsAt } from '../domain/spent-toward-limit.js';
import { USAGE } from '../../../event-sourcing/ledger.js';
import { keyUsage, type KeyUsageCollections } from './key-usage.projection.js';

/** The usage of a key in the read models, none for a key that was never used. */
export interface FoldedUsage {
  readonly usage: KeyUsage | undefined;
  readonly checkpoint: Position;
}

@Injectable()
export class UsageDirectory implements UsageOfKeys {
  readonly #model: ReadModel<KeyUsageCollections>;

  constructor(@Inject(USAGE.models) models: ReadModels) {
    this.#model = new ReadModel(keyUsage, models);
  }

  async totalsOf(
    accountId: string,
    hashes: readonly string[],
    now: Date,
  ): Promise<Read<ReadonlyMap<string, KeyTotals>>> {
    if (hashes.length === 0) return { found: new Map(), isLate: false };
    const { found, isLate } = await this.#model.read(
      accountId,
      (view) => view.getMany('key_usage', hashes),
      { key_usage: hashes },
    );
    const windows = windowsAt(now);
    const uses = [...found].map(
      ([hash, usage]) =>
        [hash, { ...usageIn(windows, usage), lastUsedAt: usage.last_used_at }] as const,
    );
    return { found: new Map(uses), isLate };
  }

  /** Returns the use of a key up to a position, without a wait for what is not folded yet. */
  usageOf(accountId: string, hash: string): Promise<FoldedUsage> {
    const read = async (view: View<KeyUsageCollections>): Promise<FoldedUsage> => ({
      usage: await view.get('key_usage', hash),
      checkpoint: view.checkpoint,
    });
    return this.#model.readNow(accountId, read, { key_usage: [hash] });
  }
}
