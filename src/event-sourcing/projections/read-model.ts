import { Refusal } from '../../kernel/errors.js';
import type { Read } from '../../kernel/read.js';
import type { View } from '../read-store/read-store.js';
import { requireNotParked } from './parked-accounts.js';
import { viewOf } from './read-side.js';

export interface Reads {
  settled(accountId: string | null): Promise<boolean>;
  reached(): Promise<void>;
  read<Result>(read: (view: View) => Promise<Result>, reader?: string): Promise<Result>;
}

/** The documents of a projection, as a directory reads them. */
export class ReadModel {
  constructor(
    private readonly projection: string,
    private readonly models: Reads,
  ) {}

  /**
   * Waits for all writes that were answered before the call, then reads one state of the read model. If the wait times
   * out, the state may lack some of these writes. `read` may run again, and its Refusal says that the read was late.
   * @param accountId the account whose documents are read. Accounts take turns. Null when no single account is known.
   * @throws Unreadable when the account is parked; Unavailable when the read store cannot be reached.
   */
  async read<Found>(
    accountId: string | null,
    read: (view: View) => Promise<Found>,
  ): Promise<Read<Found>> {
    const isLate = !(await this.models.settled(accountId));
    try {
      return { found: await this.projected(accountId, read), isLate };
    } catch (error) {
      if (!isLate || !(error instanceof Refusal)) throw error;
      throw new Refusal(error.code, error.details, isLate);
    }
  }

  /** Reads one state of the read model, without waiting for writes that are not projected yet. */
  projected<Found>(accountId: string | null, read: (view: View) => Promise<Found>): Promise<Found> {
    return this.models.read(async (all) => {
      if (accountId !== null) await requireNotParked(all, this.projection, accountId);
      return read(viewOf(this.projection, all));
    }, accountId ?? undefined);
  }

  /** Waits for all writes that were answered before the call. @throws Unavailable when the wait takes too long. */
  reached(): Promise<void> {
    return this.models.reached();
  }
}
