import { type EventLog, UnheldPositionError } from '../event-log/event-log.js';
import { messageOf } from '../../kernel/errors.js';
import { type Position, START } from '../../kernel/position.js';
import { sizeOf } from '../../kernel/sizes.js';
import type { Change, Namespace } from '../read-store/read-store.js';
import { between, type DecodedBatch, type UnreadableEvent } from './decoded-batch.js';
import { fold } from './fold.js';
import { KnownDocuments } from './known-documents.js';
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

/**
 * The most bytes of documents that are written together, unless a single append changes more. A
 * transaction of MongoDB holds 16 MB.
 */
const MOST_WRITTEN = 8_000_000;

/** Folds batches of the log into one generation, and writes documents and checkpoint together. */
export class GenerationFold {
  /** The position up to which the log is folded. It is the stored checkpoint. */
  position: Position = START;
  eventsFolded = 0;
  readonly #parked = new Set<string>();
  #isNamed = false;
  readonly #known = new KnownDocuments();

  constructor(
    private readonly readSide: ReadSide,
    readonly namespace: Namespace,
    private readonly log: Pick<EventLog, 'identity'>,
  ) {}

  /** The number of accounts that are parked, in one projection or in several. */
  get parked(): number {
    // A name is that of a projection, a slash, and the account.
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
    for (const { projection, account_id } of stored.parked) {
      this.#parked.add(parkedName(projection, account_id));
    }
    const isOurs = this.position === START || stored.log === (await this.#identity());
    if (!isOurs) throw new UnheldPositionError(this.position);
  }

  /**
   * Folds a batch. An event that cannot be read parks its account in the projections that fold it.
   * @throws StaleCheckpointError when another process moved the checkpoint; UnreadableEventError
   * when the account of an unreadable event is not known, and nothing of the batch is written then.
   */
  async apply(batch: DecodedBatch): Promise<void> {
    if (batch.reached <= this.position) return;
    const stop = batch.unreadable.find(({ accountId }) => accountId === undefined);
    if (stop) throw stop.fault;
    await this.#writeInParts(batch);
    this.#known.endBatch();
  }

  /** Writes a batch whole, or in two parts if its documents are too large, each part likewise. */
  async #writeInParts(batch: DecodedBatch): Promise<void> {
    try {
      await this.#write(batch);
    } catch (error) {
      const middle = batch.appends[Math.floor(batch.appends.length / 2) - 1];
      if (!(error instanceof TooLargeError) || middle === undefined) throw error;
      await this.#writeInParts(between(batch, this.position, middle));
      await this.#writeInParts(between(batch, middle, batch.reached));
    }
  }

  /** @throws TooLargeError when the documents are too large, and the batch can be split. */
  async #write({ events, unreadable, appends, reached }: DecodedBatch): Promise<void> {
    const parked = this.#newlyParked(unreadable);
    const ours: Change[] = [...parked.values()].map(parkedChange);
    if (!this.#isNamed) ours.push(logChange(await this.#identity()));
    const isPassedOver: IsPassedOver = (projection, { metadata, position }) => {
      // Nearly always nothing is parked. Then no name is made for each event.
      if (this.#parked.size + parked.size === 0) return false;
      const name = parkedName(projection, metadata.account_id);
      if (this.#parked.has(name)) return true;
      // An account that this batch parks still gets its events before the one that cannot be read.
      const stopsAt = parked.get(name)?.position;
      return stopsAt !== undefined && position > stopsAt;
    };
    let changes: readonly Change[] = [];
    let sizes: readonly number[] = [];
    await this.namespace.write(this.position, reached, async (view) => {
      changes = await fold(
        {
          name: this.readSide.name,
          evolve: (documents, event) => this.readSide.evolve(documents, event, isPassedOver),
        },
        events,
        view,
        this.#known,
      );
      sizes = changes.map(({ key, document }) => key.length + sizeOf(document));
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      if (appends.length > 1 && bytes > MOST_WRITTEN) throw new TooLargeError();
      return [...changes, ...ours];
    });
    this.#known.change(changes, sizes);
    this.#isNamed = true;
    this.position = reached;
    this.eventsFolded += events.length;
    for (const name of parked.keys()) this.#parked.add(name);
  }

  /** Returns the identity of the log, which read models store; empty while the log is empty. */
  async #identity(): Promise<string> {
    const first = await this.log.identity();
    return first ? `${first.position} ${first.id}` : '';
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

/** The error for a batch that must be written in parts. */
class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}
