import { Refusal, Unreadable } from '../../kernel/errors.js';
import type { DomainEvent } from '../../kernel/event.js';
import type { Position } from '../../kernel/position.js';
import type { Read } from '../../kernel/read.js';
import type { View } from '../read-store/read-store.js';
import type { Projection } from './projection.js';
import type { Projections } from './projections.js';
import type { ReadYourWrites } from './read-your-writes.js';
import { parkedIn } from './stored-projection.js';

/** The documents of a projection, as a directory reads them. */
export class ReadModel {
  constructor(
    private readonly name: string,
    private readonly projections: Projections,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  /**
   * Waits for all writes that were answered before the call, then reads one state of the read model. If the wait times
   * out, the state may lack some of these writes. `read` may run again, and its Refusal says that the read was late.
   * @param accountId the account whose documents are read. Accounts take turns. Null when no single account is known.
   * @throws Unreadable when the account is parked; Unavailable when the read store cannot be reached.
   */
  async read<Found>(
    accountId: string | null,
    read: (view: View, position: Position) => Promise<Found>,
  ): Promise<Read<Found>> {
    const { position, isLate } = await this.readYourWrites.settled(this.name);
    try {
      const found = await this.projected(accountId, (view) => read(view, position));
      return { found, isLate };
    } catch (error) {
      if (!isLate || !(error instanceof Refusal)) throw error;
      throw new Refusal(error.code, error.details, isLate);
    }
  }

  /** Reads one state of the read model, without waiting for writes that are not projected yet. */
  projected<Found>(accountId: string | null, read: (view: View) => Promise<Found>): Promise<Found> {
    return this.projections.get(this.name).read(async (view) => {
      if (accountId !== null) await requireNotParked(view, this.name, accountId);
      return read(view);
    }, accountId ?? undefined);
  }

  /** Waits for all writes that were answered before the call. @throws Unavailable when the wait takes too long. */
  reached(): Promise<void> {
    return this.readYourWrites.reached(this.name);
  }
}

/** @throws Unreadable when an account is parked, because its stored documents lack later events (docs/operations/process.md). */
export async function requireNotParked(
  view: View,
  readModel: string,
  accountId: string,
): Promise<void> {
  const parked = await parkedIn(view, accountId);
  if (!parked) return;
  const where = `read model ${readModel}: account ${accountId} is parked`;
  throw new Unreadable(
    `${where}, as event ${parked.event_id} cannot be read; rebuild with a release that can`,
  );
}

/** The read models of all projections. */
export class ReadModels {
  constructor(
    private readonly projections: Projections,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  of({ name }: Pick<Projection<DomainEvent>, 'name'>): ReadModel {
    return new ReadModel(name, this.projections, this.readYourWrites);
  }
}
