import { Refusal } from '../../kernel/errors.js';
import type { DomainEvent } from '../../kernel/event.js';
import type { Read } from '../../kernel/read.js';
import { type Keys, type NameIn, type View, viewOf } from '../read-store/read-store.js';
import { parkedKeys, requireNotParked } from './parked-accounts.js';
import type { Projection } from './projection.js';
import type { ReadModels } from './read-models.js';

/** The documents of a projection, as a directory reads them. */
export class ReadModel<Types> {
  constructor(
    private readonly projection: Projection<DomainEvent, Types>,
    private readonly models: ReadModels,
  ) {}

  /**
   * Waits for all writes that were answered before the call, then reads one state of the read
   * model. If the wait times out, the state may lack some of them. `read` may run again, and its
   * Refusal says that the read was late.
   * @param accountId the account that is read, because accounts take turns; null for no single one.
   * @param ahead keys of a few documents that `read` gets, so that they may come together.
   * @throws Unreadable for a parked account; Unavailable when the read store cannot be reached.
   */
  async read<Found>(
    accountId: string | null,
    read: (view: View<Types>) => Promise<Found>,
    ahead?: Keys<NameIn<Types>>,
  ): Promise<Read<Found>> {
    const isLate = !(await this.models.wait.forWrites(accountId));
    try {
      return { found: await this.readNow(accountId, read, ahead), isLate };
    } catch (error) {
      if (!isLate || !(error instanceof Refusal)) throw error;
      throw new Refusal(error.code, error.details, isLate);
    }
  }

  /** Reads one state of the read model, without waiting for writes that are not projected yet. */
  readNow<Found>(
    accountId: string | null,
    read: (view: View<Types>) => Promise<Found>,
    ahead?: Keys<NameIn<Types>>,
  ): Promise<Found> {
    const { name, collections } = this.projection;
    const reading = async (view: View): Promise<Found> => {
      if (accountId !== null) await requireNotParked(view, name, accountId);
      return read(viewOf(view, collections));
    };
    const parked = accountId === null ? {} : parkedKeys(name, accountId);
    const reader = accountId ?? undefined;
    return this.models.read(reading, { reader, ahead: { ...ahead, ...parked } });
  }
}
