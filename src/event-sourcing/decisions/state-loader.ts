import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Aggregate, Foldable } from '../../kernel/aggregate.js';
import { type DomainEvent, isOneOf } from '../../kernel/event.js';
import type { EventLog, RecordedEvent } from '../event-log/event-log.js';
import type { EventRegistry } from '../event-log/event-registry.js';
import { FairSemaphore } from '../waiting/fair-semaphore.js';

const LOADS_AT_ONCE = 8;
const MOST_STATES = 50_000;
/** The greatest size of all kept states together. A larger state is kept alone. */
const MOST_STATE_BYTES = 48 * 1024 * 1024;
/** The memory that a kept state needs besides the state and the name of its stream. */
const ENTRY_BYTES = 400;
/** How long folding may block the event loop before other requests get a turn. */
const FOLDED_AT_ONCE_MS = 5;

export interface FoldedState<State> {
  readonly state: State;
  /** The revision of the last folded event; -1 when no event was folded. */
  readonly revision: number;
  /** A time by `performance.now()`. The state has all events that any process wrote before. */
  readAt: number;
}

export interface Source<State, Event extends DomainEvent> {
  readonly aggregate: Aggregate<State, Event>;
  readonly id: string;
  /** The account that waits its turn for a load. Default: the stream counts as one. */
  readonly accountId?: string | undefined;
}

/** Loads states of aggregates, and keeps the last used. Callers of the same state share a load. */
export class StateLoader {
  readonly #states = new LRUCache<string, FoldedState<unknown>>({
    max: MOST_STATES,
    maxSize: MOST_STATE_BYTES,
  });
  readonly #underWay = new Map<string, Promise<FoldedState<unknown>>>();
  readonly #loads: FairSemaphore;

  constructor(
    private readonly log: EventLog,
    private readonly registry: EventRegistry,
    loadsAtOnce = LOADS_AT_ONCE,
  ) {
    this.#loads = new FairSemaphore(loadsAtOnce);
  }

  kept<State, Event extends DomainEvent>(
    source: Source<State, Event>,
  ): FoldedState<State> | undefined {
    return this.#states.get(source.aggregate.streamOf(source.id)) as FoldedState<State> | undefined;
  }

  keep<State, Event extends DomainEvent>(
    { aggregate, id }: Source<State, Event>,
    folded: FoldedState<State>,
  ): void {
    const known = this.kept({ aggregate, id });
    if (known && known.revision > folded.revision) return;
    const stream = aggregate.streamOf(id);
    const size = aggregate.sizeOf(folded.state) + 2 * stream.length + ENTRY_BYTES;
    if (size === Infinity) return;
    // The cache refuses what is larger than all it may hold, and makes room for what just fits.
    this.#states.set(stream, folded, { size: Math.min(size, MOST_STATE_BYTES) });
  }

  async load<State, Event extends DomainEvent>(
    source: Source<State, Event>,
  ): Promise<FoldedState<State>> {
    const stream = source.aggregate.streamOf(source.id);
    // A load under way began before this call, so the events after its result are read too.
    const known = this.kept(source) ?? this.#underWay.get(stream);
    if (known) return this.#readOn(source, (await known) as FoldedState<State>);
    const loading = this.#loads.run(source.accountId ?? stream, () =>
      this.#readOn(source, initialFold(source.aggregate)),
    );
    this.#underWay.set(stream, loading);
    try {
      return await loading;
    } finally {
      this.#underWay.delete(stream);
    }
  }

  /** Folds a whole stream of an account into a state that is not kept, for a rare question. */
  async replay<State, Event extends DomainEvent>(
    foldable: Foldable<State, Event>,
    stream: string,
    accountId: string,
  ): Promise<State> {
    const read = () => this.#read(foldable, stream, initialFold(foldable));
    return (await this.#loads.run(accountId, read)).state;
  }

  async #readOn<State, Event extends DomainEvent>(
    source: Source<State, Event>,
    known: FoldedState<State>,
  ): Promise<FoldedState<State>> {
    const readAt = performance.now();
    const { aggregate, id } = source;
    const read = await this.#read(aggregate, aggregate.streamOf(id), known);
    read.readAt = readAt;
    if (read.revision > known.revision) this.keep(source, read);
    return read;
  }

  async #read<State, Event extends DomainEvent>(
    foldable: Foldable<State, Event>,
    stream: string,
    from: FoldedState<State>,
  ): Promise<FoldedState<State>> {
    let folded = from;
    for (;;) {
      const { events, more } = await this.log.readStream(stream, folded.revision + 1);
      folded = await this.#fold(foldable, folded, events);
      if (!more) return folded;
    }
  }

  async #fold<State, Event extends DomainEvent>(
    foldable: Foldable<State, Event>,
    before: FoldedState<State>,
    events: readonly RecordedEvent[],
  ): Promise<FoldedState<State>> {
    let { state, revision } = before;
    let turnBegan = performance.now();
    for (const recorded of events) {
      const event = this.registry.decodeForDecision(recorded);
      if (isOneOf<Event>(foldable.events, event)) state = foldable.evolve(state, event);
      revision = recorded.revision;
      if (performance.now() - turnBegan < FOLDED_AT_ONCE_MS) continue;
      await nextTurn();
      turnBegan = performance.now();
    }
    return { state, revision, readAt: before.readAt };
  }
}

function initialFold<State, Event extends DomainEvent>({
  initial,
}: Foldable<State, Event>): FoldedState<State> {
  return { state: initial, revision: -1, readAt: performance.now() };
}
