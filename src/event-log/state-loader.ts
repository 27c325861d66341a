import type { Aggregate } from '../kernel/aggregate.js';
import { Unreadable } from '../kernel/errors.js';
import { type DomainEvent, isOneOf, type Recorded } from '../kernel/event.js';
import type { EventLog, RecordedEvent } from './event-log.js';
import { type EventRegistry, UnreadableEventError } from './event-registry.js';
import { FairSemaphore } from './fair-semaphore.js';
import { type Folded, FoldedStates, isLarge } from './folded-states.js';

/** As many as are read at once at first: most streams end on their first page. */
const SHORT_LOADS_AT_ONCE = 32;
const LONG_LOADS_AT_ONCE = 2;
/** The first one, and the one that tells that it was the last. */
const PAGES_OF_A_SHORT_LOAD = 2;
/** For how long folding may hold up everybody else. */
const FOLDED_AT_ONCE_MS = 5;

/** How far to read; `ended` when nothing followed. */
interface Read<State> {
  readonly folded: Folded<State>;
  readonly ended: boolean;
}

/** How far to read at most: to the end unless something is given. */
interface Extent {
  readonly pages?: number;
  readonly upTo?: number | undefined;
  /** Otherwise reading stops at a state that is too large to be kept among others. */
  readonly mayBeLarge?: boolean;
}

/** The last revision of a stream, as the log had it after a time by `performance.now()`. */
export interface Told {
  readonly revision: number;
  readonly at: number;
}

/** A stream, and who is to have a turn when others wait as well. */
export interface Source {
  readonly stream: string;
  /** Absent: the stream stands for itself. */
  readonly accountId?: string | undefined;
}

/**
 * Loads states of aggregates and keeps those it may keep. Many who need the same state that is not kept share one load.
 * Long loads take turns between accounts, two at a time, and large states are loaded one at a time (ADR 19).
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

  /** The state as the log has it now. @param told by the log just now, beyond which nothing is looked for. */
  async load<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    source: Source,
    told?: Told,
  ): Promise<Folded<State>> {
    const { stream } = source;
    const kept = this.kept<State>(stream);
    if (kept) return this.#readOn(aggregate, stream, kept, told);
    const underWay = this.#underWay.get(stream) as Promise<Folded<State>> | undefined;
    // It began before: what was written since stands behind what it gives.
    if (underWay) return this.#readOn(aggregate, stream, await underWay);
    const loading = this.#loadCold(aggregate, source);
    this.#underWay.set(stream, loading);
    try {
      return await loading;
    } finally {
      this.#underWay.delete(stream);
    }
  }

  /** Folds a whole stream into another state than the one that is kept of it, for a question that is asked seldom. */
  async replay<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    { stream, accountId = stream }: Source,
  ): Promise<State> {
    const { folded } = await this.#longLoads.run(accountId, () =>
      this.#read(aggregate, stream, nothing(aggregate), { mayBeLarge: true }),
    );
    return folded.state;
  }

  /** Reads what follows a state that is known. */
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

  /** Undefined when the state is large: then nothing of it is held while others are loaded. */
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

  /** Reads on page by page, to the end unless that is too far or the state becomes too large. */
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

  /** Nothing is kept of a stream with an event that cannot be read: a state without it would be wrong. */
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

/** Of a stream of which nothing was read, from now on. */
function nothing<State, Event extends DomainEvent>({
  initial,
}: Aggregate<State, Event>): Folded<State> {
  return { state: initial, revision: -1, readAt: performance.now() };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
