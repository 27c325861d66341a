import { type EventLog, UnheldPositionError } from '../event-log/event-log.js';
import { messageOf } from '../../kernel/errors.js';
import { type Position, START } from '../../kernel/position.js';
import { sizeOf } from '../../kernel/sizes.js';
import {
  type Change,
  type Document,
  type Namespace,
  StaleCheckpointError,
  type View,
} from '../read-store/read-store.js';
import { type DecodedBatch, partOfBatch, type UnreadableEvent } from './decoded-batch.js';
import { fold, type Folding } from './fold.js';
import { KnownDocuments } from './known-documents.js';
import { typesOf } from './projection.js';
import {
  allParkedIn,
  foldedLogIn,
  logChange,
  type ParkedAccount,
  parkedChange,
  parkedName,
} from './parked-accounts.js';
import type { IsPassedOver, ReadSide } from './read-side.js';

/**
 * The most bytes of documents that are written together, unless a single append changes more. A
 * transaction of MongoDB holds 16 MB.
 */
const MOST_WRITTEN_BYTES = 8_000_000;

/** The most documents of a collection that come in one answer with the state of the namespace. */
const FEW = 50;

/** The changes that a batch makes, or a part of it. */
export interface FoldedPart {
  readonly reached: Position;
  readonly changes: readonly Change[];
  readonly events: number;
  /** The number of accounts that are parked then, in one projection or in several. */
  readonly parked: number;
}

/**
 * Folds batches of the log into one generation, and writes documents and checkpoint together. The
 * next part may be folded while one is written. After a fault it is of no more use.
 */
export class GenerationWriter {
  /** The position up to which the log is folded and written. It is the stored checkpoint. */
  position: Position = START;
  eventsFolded = 0;
  parked = 0;
  /** The position up to which the log is folded. The last part may not be written yet. */
  #folded: Position = START;
  readonly #parked = new Set<string>();
  #isNamed = false;
  readonly #known = new KnownDocuments();

  constructor(
    private readonly readSide: ReadSide,
    readonly namespace: Namespace,
    private readonly log: Pick<EventLog, 'identity'>,
  ) {}

  /** Reads the stored checkpoint. @throws UnheldPositionError when another log was folded. */
  async open(): Promise<void> {
    const stored = await this.namespace.read(async (view) => ({
      checkpoint: view.checkpoint,
      log: await foldedLogIn(view),
      parked: await allParkedIn(view),
    }));
    this.position = stored.checkpoint;
    this.#folded = stored.checkpoint;
    this.#isNamed = stored.log !== undefined;
    for (const { projection, account_id } of stored.parked) {
      this.#parked.add(parkedName(projection, account_id));
    }
    this.parked = this.#parkedAccounts;
    const isOurs = this.position === START || stored.log === (await this.#identity());
    if (!isOurs) throw new UnheldPositionError(this.position);
  }

  /**
   * Folds a batch, and yields what is to be written: all of it, or parts if its documents are too
   * large. An event that cannot be read parks its account in the projections that fold it.
   * @throws StaleCheckpointError when another process moved the checkpoint; UnreadableEventError
   * when the account of an unreadable event is not known.
   */
  async *parts(batch: DecodedBatch): AsyncGenerator<FoldedPart, void> {
    if (batch.reached <= this.#folded) return;
    const stop = batch.unreadable.find(({ accountId }) => accountId === undefined);
    if (stop) throw stop.fault;
    yield* this.#partsOf(batch);
    this.#known.endBatch();
  }

  /** Writes a part. Parts are written in the order of their fold. @throws StaleCheckpointError */
  async write({ reached, changes, events, parked }: FoldedPart): Promise<void> {
    await this.namespace.write(this.position, reached, changes);
    this.position = reached;
    this.eventsFolded += events;
    this.parked = parked;
  }

  async *#partsOf(batch: DecodedBatch): AsyncGenerator<FoldedPart, void> {
    const { events, unreadable, appends, reached } = batch;
    const parked = this.#newlyParked(unreadable);
    const changes = await this.#changesOf(events, parked);
    const sizes = changes.map(({ key, document }) => key.length + sizeOf(document));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    const middle = appends[Math.floor(appends.length / 2) - 1];
    if (bytes > MOST_WRITTEN_BYTES && middle !== undefined) {
      yield* this.#partsOf(partOfBatch(batch, this.#folded, middle));
      yield* this.#partsOf(partOfBatch(batch, middle, reached));
      return;
    }
    const ours: Change[] = [...parked.values()].map(parkedChange);
    if (!this.#isNamed) ours.push(logChange(await this.#identity()));
    this.#isNamed = true;
    this.#known.change(changes, sizes);
    this.#folded = reached;
    for (const name of parked.keys()) this.#parked.add(name);
    const all = [...changes, ...ours];
    yield { reached, changes: all, events: events.length, parked: this.#parkedAccounts };
  }

  #changesOf(
    events: DecodedBatch['events'],
    parked: ReadonlyMap<string, ParkedAccount>,
  ): Promise<readonly Change[]> {
    const isPassedOver: IsPassedOver = (projection, { metadata, position }) => {
      // Nearly always nothing is parked. Then no name is made for each event.
      if (this.#parked.size + parked.size === 0) return false;
      const name = parkedName(projection, metadata.account_id);
      if (this.#parked.has(name)) return true;
      // An account that this batch parks still gets its events before the one that cannot be read.
      const stopsAt = parked.get(name)?.position;
      return stopsAt !== undefined && position > stopsAt;
    };
    const { name, evolve } = this.readSide;
    const folding: Folding = {
      name,
      evolve: (documents, event) => evolve(documents, event, isPassedOver),
    };
    const view = {
      getMany: (collection: string, keys: readonly string[]) => this.#load(collection, keys),
    };
    return fold(folding, events, view, this.#known);
  }

  /**
   * Reads documents that are not known, before or after the last part is written: that part changes
   * none of them, because all that it changes is known. Another process that writes shows here, or
   * when the next part is written.
   */
  #load(collection: string, keys: readonly string[]): Promise<Map<string, Document>> {
    const written = this.position;
    const ahead = keys.length > FEW ? {} : { [collection]: keys };
    const load = (view: View): Promise<Map<string, Document>> => {
      if (view.checkpoint === written || view.checkpoint === this.#folded) {
        return view.getMany(collection, keys);
      }
      throw new StaleCheckpointError(this.readSide.name);
    };
    return this.namespace.read(load, { ahead });
  }

  /** The number of parked accounts. A name is that of a projection, a slash, and the account. */
  get #parkedAccounts(): number {
    return new Set([...this.#parked].map((name) => name.slice(name.indexOf('/')))).size;
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
