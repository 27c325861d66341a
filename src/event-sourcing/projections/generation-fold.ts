import { type EventLog, UnheldPositionError } from '../event-log/event-log.js';
import { messageOf } from '../../kernel/errors.js';
import type { DomainEvent, Recorded } from '../../kernel/event.js';
import { type Position, START } from '../../kernel/position.js';
import type { Change, Document, Namespace } from '../read-store/read-store.js';
import type { DecodedBatch, UnreadableEvent } from './decoded-batch.js';
import { type ByKey, fold } from './fold.js';
import { typesOf } from './projection.js';
import {
  allParkedIn,
  logChange,
  logIn,
  type ParkedAccount,
  parkedChange,
  parkedName,
} from './parked-accounts.js';
import type { IsPassedOver, ReadSide } from './read-side.js';

/** The most documents of a collection that stay known from one batch to the next. */
const MOST_KNOWN = 2_000;

/** Folds batches of the log into one generation, and writes documents and checkpoint together. */
export class GenerationFold {
  /** The position up to which the log is folded. It is the stored checkpoint. */
  position: Position = START;
  eventsFolded = 0;
  readonly #parked = new Set<string>();
  #isNamed = false;
  /** The documents that batches read, as the last batch left them. Null says that there is none. */
  readonly #known: ByKey<Document | null> = new Map();

  constructor(
    private readonly readSide: ReadSide,
    readonly namespace: Namespace,
    private readonly log: Pick<EventLog, 'identity'>,
  ) {}

  get parked(): number {
    return new Set([...this.#parked].map((name) => name.slice(name.indexOf('/')))).size;
  }

  /**
   * Reads the stored checkpoint, to continue from there.
   * @throws UnheldPositionError when the namespace was folded from another log.
   */
  async open(): Promise<void> {
    const stored = await this.namespace.read(async (view) => ({
      checkpoint: view.checkpoint,
      log: await logIn(view),
      parked: await allParkedIn(view),
    }));
    this.position = stored.checkpoint;
    this.#isNamed = stored.log !== undefined;
    for (const { projection, account_id } of stored.parked)
      this.#parked.add(parkedName(projection, account_id));
    const isOurs = this.position === START || stored.log === (await this.#identity());
    if (!isOurs) throw new UnheldPositionError(this.position);
  }

  /**
   * Folds a batch. An event that cannot be read parks its account in the projections that fold it.
   * @throws StaleCheckpointError when another process moved the checkpoint; UnreadableEventError when the account of an
   * unreadable event is not known. Nothing of the batch is written then.
   */
  async apply({ events, unreadable, reached }: DecodedBatch): Promise<void> {
    if (reached <= this.position) return;
    const stop = unreadable.find(({ accountId }) => accountId === undefined);
    if (stop) throw stop.fault;
    await this.#write(events, this.#newlyParked(unreadable), reached);
  }

  async #write(
    events: readonly Recorded<DomainEvent>[],
    parked: ReadonlyMap<string, ParkedAccount>,
    to: Position,
  ): Promise<void> {
    const ours: Change[] = [...parked.values()].map(parkedChange);
    if (!this.#isNamed) ours.push(logChange(await this.#identity()));
    const isPassedOver: IsPassedOver = (projection, { metadata, position }) => {
      if (this.#parked.size + parked.size === 0) return false;
      const name = parkedName(projection, metadata.account_id);
      return this.#parked.has(name) || position > (parked.get(name)?.position ?? position);
    };
    let changes: readonly Change[] = [];
    await this.namespace.write(this.position, to, async (view) => {
      changes = await fold(
        {
          name: this.readSide.name,
          evolve: (documents, event) => this.readSide.evolve(documents, event, isPassedOver),
        },
        events,
        view,
        this.#known,
      );
      return [...changes, ...ours];
    });
    this.#remember(changes);
    this.#isNamed = true;
    this.position = to;
    this.eventsFolded += events.length;
    for (const name of parked.keys()) this.#parked.add(name);
  }

  /** Returns the identity of the log, which read models store; an empty string while the log is empty. */
  async #identity(): Promise<string> {
    const first = await this.log.identity();
    return first ? `${first.position} ${first.id}` : '';
  }

  /** Keeps the known documents up to date, once a batch is committed: nobody else moves this checkpoint. */
  #remember(changes: readonly Change[]): void {
    for (const { collection, key, document } of changes) {
      const known = this.#known.get(collection);
      if (known?.has(key) === true) known.set(key, document);
    }
    for (const known of this.#known.values()) if (known.size > MOST_KNOWN) known.clear();
  }

  #newlyParked(unreadable: readonly UnreadableEvent[]): ReadonlyMap<string, ParkedAccount> {
    const parked = new Map<string, ParkedAccount>();
    for (const { accountId = '', position, type, fault } of unreadable) {
      for (const projection of this.readSide.projections) {
        const name = parkedName(projection.name, accountId);
        const isKnown = this.#parked.has(name) || parked.has(name);
        if (isKnown || !typesOf(projection).includes(type)) continue;
        parked.set(name, {
          projection: projection.name,
          account_id: accountId,
          event_id: fault.event.id,
          event_type: type,
          position,
          problem: messageOf(fault),
        });
      }
    }
    return parked;
  }
}
