import type { Aggregate } from '../kernel/aggregate.js';
import { Unreadable } from '../kernel/errors.js';
import { type DomainEvent, isOneOf, type Recorded } from '../kernel/event.js';
import type { EventLog, RecordedEvent } from './event-log.js';
import { type EventRegistry, UnreadableEventError } from './event-registry.js';
import { FairSemaphore } from './fair-semaphore.js';
import { type Folded, FoldedStates, isLarge } from './folded-states.js';

/** How many loads of at most two pages run at once. Most streams end on their first page. */
const SHORT_LOADS_AT_ONCE = 32;
const LONG_LOADS_AT_ONCE = 2;
/** The pages of a short load: a page of events, and the empty page that shows the end of the stream. */
const PAGES_OF_A_SHORT_LOAD = 2;
/** How long folding may block the event loop before other requests get a turn. */
const FOLDED_AT_ONCE_MS = 5;

/** The result of reading a stream. `ended` is true when the stream was read to its end. */
interface Read<State> {
  readonly folded: Folded<State>;
  readonly ended: boolean;
}

/** The bounds within which a stream is read. Without `pages` and `upTo`, it is read to its end. */
interface Extent {
  readonly pages?: number;
  readonly upTo?: number | undefined;
  /** Whether reading continues when the state is too large for the memory that all states share. Default: no. */
  readonly mayBeLarge?: boolean;
}

/** The last revision of a stream, as the log reported it when asked at the time `at` (by `performance.now()`). */
export interface Told {
  readonly revision: number;
  readonly at: number;
}

/** A stream, and the account that a load of the stream belongs to. When many loads wait, accounts take turns. */
export interface Source {
  readonly stream: string;
  /** Default: the stream takes turns like an account. */
  readonly accountId?: string | undefined;
}

/**
 * Loads states of aggregates, and keeps them in memory within a bound. Callers that need the same state share one load.
 * Long loads run two at a time, and accounts take turns. Large states are loaded one at a time (ADR 19).
 */
export class StateLoader {
  readonly #states = new FoldedStates();
  readonly #underWay = new Map<string, Promise<Folded<unknown>>>();
  readonly #shortLoads = new FairSemaphore(SHORT_LOADS_AT_ONCE);
  readonly #longLoads = new FairSemaphore(LONG_LOADS_AT_ONCE);
  readonly #largeLoads = new FairSemaphore(1);

  constructor(
    private readonly log: EventLog,
    private readonly registry: EventRegistry,
  ) {}

  kept<State>(stream: string): Folded<State> | undefined {
    return this.#states.get(stream) as Folded<State> | undefined;
  }

  keep<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    stream: string,
    folded: Folded<State>,
  ): void {
    this.#states.set(stream, folded, aggregate.sizeOf(folded.state));
  }

  /** Returns the current state of a stream. @param told the stream's last revision, if the log has just reported it. */
  async load<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    source: Source,
    told?: Told,
  ): Promise<Folded<State>> {
    const { stream } = source;
    const kept = this.kept<State>(stream);
    if (kept) return this.#readOn(aggregate, stream, kept, told);
    const underWay = this.#underWay.get(stream) as Promise<Folded<State>> | undefined;
    // The load under way began before this call, so the events after its result are read too.
    if (underWay) return this.#readOn(aggregate, stream, await underWay);
    const loading = this.#loadCold(aggregate, source);
    this.#underWay.set(stream, loading);
    try {
      return await loading;
    } finally {
      this.#underWay.delete(stream);
    }
  }

  /** Folds a whole stream with an aggregate that `load` does not use, for a rare question. The state is not kept. */
  async replay<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    { stream, accountId = stream }: Source,
  ): Promise<State> {
    const { folded } = await this.#longLoads.run(accountId, () =>
      this.#read(aggregate, stream, nothing(aggregate), { mayBeLarge: true }),
    );
    return folded.state;
  }

  /** Folds the events after a known state into the state. */
  async #readOn<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    stream: string,
    known: Folded<State>,
    told?: Told,
  ): Promise<Folded<State>> {
    const readAt = told?.at ?? performance.now();
    const { folded } = await this.#read(aggregate, stream, known, {
      mayBeLarge: true,
      upTo: told?.revision,
    });
    if (folded.revision === known.revision) {
      known.readAt = readAt;
      return known;
    }
    const read = { ...folded, readAt };
    this.keep(aggregate, stream, read);
    return read;
  }

  async #loadCold<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    source: Source,
  ): Promise<Folded<State>> {
    const { stream, accountId = stream } = source;
    const loaded = await this.#loadWithinBounds(aggregate, source);
    if (loaded) return loaded;
    return this.#largeLoads.run(accountId, async () => {
      this.#states.forgetLarge();
      const begun = nothing(aggregate);
      const { folded } = await this.#read(aggregate, stream, begun, { mayBeLarge: true });
      this.keep(aggregate, stream, folded);
      return folded;
    });
  }

  /** Returns the state; undefined for a large state, which must use no memory while it waits for other large loads. */
  async #loadWithinBounds<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    { stream, accountId = stream }: Source,
  ): Promise<Folded<State> | undefined> {
    let read = await this.#shortLoads.run(accountId, () =>
      this.#read(aggregate, stream, nothing(aggregate), { pages: PAGES_OF_A_SHORT_LOAD }),
    );
    if (!read.ended && !isLarge(aggregate.sizeOf(read.folded.state))) {
      const { folded } = read;
      read = await this.#longLoads.run(accountId, () => this.#read(aggregate, stream, folded, {}));
    }
    const { folded, ended } = read;
    if (!ended) return undefined;
    if (folded.revision >= 0) this.keep(aggregate, stream, folded);
    return folded;
  }

  /** Reads a stream page by page, to its end or to the first of the bounds. */
  async #read<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    stream: string,
    from: Folded<State>,
    { pages = Infinity, mayBeLarge = false, upTo }: Extent,
  ): Promise<Read<State>> {
    let folded = from;
    for (let page = 0; page < pages; page++) {
      if (upTo !== undefined && folded.revision >= upTo) return { folded, ended: true };
      const events = await this.log.readStream(stream, folded.revision + 1);
      if (events.length === 0) return { folded, ended: true };
      folded = await this.#fold(aggregate, folded, events);
      if (!mayBeLarge && isLarge(aggregate.sizeOf(folded.state))) break;
    }
    return { folded, ended: false };
  }

  /** Decodes an event. @throws Unreadable if decoding fails, because a state without the event would be wrong. */
  #decoded(recorded: RecordedEvent): Recorded<DomainEvent> | null {
    try {
      return this.registry.decodeForDecision(recorded);
    } catch (error) {
      throw error instanceof UnreadableEventError ? new Unreadable(error.message, error) : error;
    }
  }

  async #fold<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    { state: before, revision: last, readAt }: Folded<State>,
    events: readonly RecordedEvent[],
  ): Promise<Folded<State>> {
    let state = before;
    let revision = last;
    let since = performance.now();
    for (const recorded of events) {
      const event = this.#decoded(recorded);
      if (event && isOneOf<Event>(aggregate.events, event)) state = aggregate.evolve(state, event);
      revision = recorded.revision;
      if (performance.now() - since < FOLDED_AT_ONCE_MS) continue;
      await nextTurn();
      since = performance.now();
    }
    return { state, revision, readAt };
  }
}

/** Returns the state before the first event of a stream. */
function nothing<State, Event extends DomainEvent>({
  initial,
}: Aggregate<State, Event>): Folded<State> {
  return { state: initial, revision: -1, readAt: performance.now() };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
