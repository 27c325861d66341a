import type { EventLog } from '../event-log/event-log.js';
import { messageOf } from '../../kernel/errors.js';
import type { DomainEvent, Recorded } from '../../kernel/event.js';
import { type Position, START } from '../../kernel/position.js';
import type { Change, Namespace } from '../read-store/read-store.js';
import type { DecodedBatch, UnreadableEvent } from './decoded-batch.js';
import { fold } from './fold.js';
import type { LogIdentity } from './log-identity.js';
import { type Projection, typesOf } from './projection.js';
import {
  allParkedIn,
  logChange,
  logIn,
  type ParkedAccount,
  parkedChange,
} from './stored-projection.js';

/** After this many batches in a row without an event for a projection, a replay saves the checkpoint all the same. */
const IDLE_BATCHES = 50;

/** The error for a namespace that was not folded from this log. */
export class OtherLogError extends Error {
  override readonly name = 'OtherLogError';

  constructor(checkpoint: Position, head: Position) {
    super(
      `its checkpoint ${checkpoint} is not in the log, which ends at ${head || 'its start'}: the log was wiped, restored ` +
        'from an older copy, or is another one; rebuild the projection to fold it anew',
    );
  }
}

/** Folds batches of the log into one generation of a projection, and writes documents and checkpoint together. */
export class Projector {
  readonly types: ReadonlySet<string>;
  /** The checkpoint in the store. */
  checkpoint: Position = START;
  /** The position up to which the log is folded. The projection folded no event between `checkpoint` and `position`. */
  position: Position = START;
  eventsFolded = 0;
  /** The events that changed nothing, because what they create existed already: how many, and the last one. */
  #repeats = 0;
  #lastRepeat: Recorded<DomainEvent> | undefined;
  #parked = new Map<string, ParkedAccount>();
  #isNamed = false;
  #idleBatches = 0;

  constructor(
    readonly projection: Projection<DomainEvent>,
    readonly generation: number,
    readonly namespace: Namespace,
  ) {
    this.types = new Set(typesOf(projection));
  }

  /** The number of parked accounts, whose later events this projection skips. */
  get parkedAccounts(): number {
    return this.#parked.size;
  }

  /** The repeated events that were met, in words for people; null while none was met. */
  get repeats(): string | null {
    const last = this.#lastRepeat;
    if (!last) return null;
    const count = this.#repeats === 1 ? '1 event' : `${this.#repeats} events`;
    return `${count} changed nothing, because the log holds it twice: the last is event ${last.id} (${last.type})`;
  }

  /**
   * Reads the stored checkpoint, to continue from there.
   * @throws OtherLogError when the namespace was folded from another log, or beyond the end of this log.
   */
  async open(identity: LogIdentity, log: EventLog): Promise<void> {
    const stored = await this.namespace.read(async (view) => ({
      checkpoint: view.checkpoint,
      log: await logIn(view),
      parked: await allParkedIn(view),
    }));
    const { checkpoint } = stored;
    const isOurs = checkpoint === START || stored.log === (await identity.known());
    if (!isOurs || !(await log.holds(checkpoint))) {
      throw new OtherLogError(checkpoint, await log.head());
    }
    const isAhead = checkpoint === this.checkpoint && this.position > checkpoint;
    this.checkpoint = checkpoint;
    if (!isAhead) this.position = checkpoint;
    this.#isNamed = stored.log !== undefined;
    this.#parked = new Map(stored.parked.map((parked) => [parked.account_id, parked]));
  }

  /**
   * Folds the events of a batch that this projection has not folded yet. An unreadable event parks its account.
   * @param identity the identity of the log, which is stored with the first checkpoint.
   * @param saves whether to save the checkpoint even if the batch has no event for this projection.
   * @throws StaleCheckpointError when another process moved the checkpoint; UnreadableEventError when the account of an
   * unreadable event is not known, after the events before that event were written.
   */
  async apply(batch: DecodedBatch, identity: LogIdentity, saves: boolean): Promise<void> {
    if (batch.reached <= this.position) return;
    const unreadable = batch.unreadable.filter(
      ({ type, position }) => position > this.position && this.types.has(type),
    );
    const stop = unreadable.find(({ accountId }) => accountId === undefined);
    const reached = stop ? lastBefore(stop, batch) : batch.reached;
    const parked = this.#newlyParked(unreadable, stop);
    const events = batch.events.filter(
      (event) =>
        event.position > this.position &&
        event.position <= (reached ?? START) &&
        this.types.has(event.type) &&
        !this.#isPassedOver(event, parked),
    );
    if (reached !== undefined && reached > this.position) {
      await this.#advance(events, [...parked.values()], reached, identity, saves);
    }
    if (stop) throw stop.fault;
  }

  /** Moves the stored checkpoint forward to the position. */
  async save(identity: LogIdentity): Promise<void> {
    if (this.position > this.checkpoint) await this.#write([], [], this.position, identity);
  }

  async #advance(
    events: readonly Recorded<DomainEvent>[],
    parked: readonly ParkedAccount[],
    reached: Position,
    identity: LogIdentity,
    saves: boolean,
  ): Promise<void> {
    const isIdle = events.length === 0 && parked.length === 0;
    this.#idleBatches = isIdle ? this.#idleBatches + 1 : 0;
    if (!isIdle || saves || this.#idleBatches >= IDLE_BATCHES) {
      await this.#write(events, parked, reached, identity);
      this.#idleBatches = 0;
    }
    this.position = reached;
    this.eventsFolded += events.length;
    for (const account of parked) this.#parked.set(account.account_id, account);
  }

  async #write(
    events: readonly Recorded<DomainEvent>[],
    parked: readonly ParkedAccount[],
    reached: Position,
    identity: LogIdentity,
  ): Promise<void> {
    const ours: Change[] = parked.map(parkedChange);
    if (!this.#isNamed) ours.push(logChange(await identity.known()));
    const looksUp = !this.namespace.refusesRepeats;
    let repeats: Recorded<DomainEvent>[] = [];
    await this.namespace.write(this.checkpoint, reached, async (view) => {
      repeats = [];
      const onRepeat = (event: Recorded<DomainEvent>): unknown => repeats.push(event);
      return [...(await fold(this.projection, events, view, { looksUp, onRepeat })), ...ours];
    });
    this.#repeats += repeats.length;
    this.#lastRepeat = repeats.at(-1) ?? this.#lastRepeat;
    this.#isNamed = true;
    this.checkpoint = reached;
  }

  #newlyParked(
    unreadable: readonly UnreadableEvent[],
    stop: UnreadableEvent | undefined,
  ): ReadonlyMap<string, ParkedAccount> {
    const parked = new Map<string, ParkedAccount>();
    for (const { accountId, position, type, fault } of unreadable) {
      if (stop && position >= stop.position) break;
      if (accountId === undefined || this.#parked.has(accountId) || parked.has(accountId)) continue;
      parked.set(accountId, {
        account_id: accountId,
        event_id: fault.event.id,
        event_type: type,
        position,
        problem: messageOf(fault),
      });
    }
    return parked;
  }

  #isPassedOver(
    { metadata, position }: Recorded<DomainEvent>,
    parked: ReadonlyMap<string, ParkedAccount>,
  ): boolean {
    if (this.#parked.has(metadata.account_id)) return true;
    const since = parked.get(metadata.account_id);
    return since !== undefined && since.position < position;
  }
}

/** Returns the position of the last event in a batch before `stop`; undefined when `stop` is the first event. */
function lastBefore(stop: UnreadableEvent, batch: DecodedBatch): Position | undefined {
  const places = [...batch.events, ...batch.unreadable].map(({ position }) => position);
  return places
    .filter((position) => position < stop.position)
    .sort()
    .at(-1);
}
