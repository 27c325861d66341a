import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Aggregate } from '../kernel/aggregate.js';
import { Backoff } from '../kernel/backoff.js';
import type { Clock } from '../kernel/clock.js';
import { Refusal, Unavailable } from '../kernel/errors.js';
import type { DomainEvent, Happened } from '../kernel/event.js';
import type { EventMetadata, Origin } from '../kernel/metadata.js';
import { type Position, START } from '../kernel/position.js';
import {
  type AppendResult,
  ConflictError,
  type EventLog,
  type ExpectedRevision,
  type StoredEvent,
} from './event-log.js';
import { newEventId } from './event-id.js';
import type { EventRegistry } from './event-registry.js';
import type { Folded } from './folded-states.js';
import { KeyedQueue } from './keyed-queue.js';
import { type Source, StateLoader } from './state-loader.js';

/** How long a decision waits for earlier ones, and is repeated while other processes write first. */
const LONGEST_MS = 20_000;
/** Random pauses after a conflict: the losers come back one by one. */
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

export interface Decision<State, Event extends DomainEvent> {
  readonly aggregate: Aggregate<State, Event>;
  readonly stream: string;
  readonly origin: Origin;
  /** The account that finds the change in its audit trail. */
  readonly accountId: string;
  /**
   * Gives the events, or throws a Refusal. It may look up facts of other aggregates. It is called again, and looks them up
   * again, when another process wrote in between.
   */
  decide(state: State): readonly Event[] | Promise<readonly Event[]>;
  /** A hint that the stream does not exist: the first attempt does not read it. */
  readonly expectNew?: boolean;
}

export interface Decided<State> {
  /** After the events, if any. */
  readonly state: State;
  /** Of the stream's last event; -1 when nothing was ever written to it. */
  readonly revision: number;
  /** Of the last event written now; START when the decision gave none. */
  readonly position: Position;
}

/** Learns how appends go. */
export interface AppendObserver {
  appended(outcome: 'stored' | 'conflict' | 'failed', seconds: number): void;
  /** The log makes another attempt of its own, as one before failed or was not answered. */
  appendRetried(): void;
  /** A decision is taken anew because somebody else wrote in between. */
  decisionRetried(): void;
}

/**
 * Loads, folds, decides and appends at the revision read; begins again after a conflict. Decisions on one stream are taken
 * one at a time here, so conflicts come only from other processes.
 */
export class DecisionRunner {
  readonly #queue = new KeyedQueue();
  #observer: AppendObserver | undefined;
  readonly #states: StateLoader;

  constructor(
    private readonly log: EventLog,
    private readonly registry: EventRegistry,
    private readonly clock: Clock,
  ) {
    this.#states = new StateLoader(log, registry);
  }

  /** Sets the observer. */
  observe(observer: AppendObserver): void {
    this.#observer = observer;
  }

  /**
   * The state of an aggregate as the log has it now.
   * @param accountId takes its turn when many are loaded.
   * @throws Unreadable when this release cannot read an event of the stream.
   */
  async load<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    stream: string,
    accountId?: string,
  ): Promise<State> {
    return (await this.#states.load(aggregate, { stream, accountId })).state;
  }

  /** As `load`, for a state of another kind than the one decided on. It is read anew each time and not kept. */
  replay<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    source: Source,
  ): Promise<State> {
    return this.#states.replay(aggregate, source);
  }

  /**
   * Takes a decision and makes it durable.
   * @throws Unreadable as `load`; Refusal from `decide`, or `too-many-writers` when others write to the stream for 20 s, or the caller leaves
   * meanwhile; Unavailable when the log is, now or for the decision before this one.
   */
  run<State, Event extends DomainEvent>(decision: Decision<State, Event>): Promise<Decided<State>> {
    const asked = performance.now();
    return this.#queue.run(decision.stream, (failure) => {
      // Else each waits for the log as long as the one before, and the last one for all of them.
      if (failure instanceof Unavailable && failure.part === 'event log') throw failure;
      return this.#run(decision, asked);
    });
  }

  async #run<State, Event extends DomainEvent>(
    decision: Decision<State, Event>,
    asked: number,
  ): Promise<Decided<State>> {
    const { left } = decision.origin;
    const pauses = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    let begin = (): Promise<Folded<State>> => this.#begin(decision, asked);
    while (performance.now() - asked < LONGEST_MS && left?.aborted !== true) {
      const folded = await begin();
      const { state, revision } = folded;
      const events = await decision.decide(state);
      if (events.length === 0) return { state, revision, position: START };
      const at = performance.now();
      try {
        return await this.#append(decision, folded, events);
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
        const told = error.actual === undefined ? undefined : { revision: error.actual, at };
        begin = () => this.#states.load(decision.aggregate, decision, told);
      }
      await delay(Math.random() * pauses.next());
      this.#observer?.decisionRetried();
    }
    throw new Refusal('too-many-writers');
  }

  /**
   * The state for the first attempt. A decision that waited for others takes the state that they read or wrote meanwhile: it
   * is as new as a state that is read again.
   */
  async #begin<State, Event extends DomainEvent>(
    decision: Decision<State, Event>,
    asked: number,
  ): Promise<Folded<State>> {
    const { aggregate, stream, expectNew } = decision;
    const kept = this.#states.kept<State>(stream);
    if (kept && kept.readAt > asked) return kept;
    if (!kept && expectNew === true)
      return { state: aggregate.initial, revision: -1, readAt: asked };
    return this.#states.load(aggregate, decision);
  }

  async #append<State, Event extends DomainEvent>(
    { aggregate, stream, origin, accountId }: Decision<State, Event>,
    before: Folded<State>,
    events: readonly Event[],
  ): Promise<Decided<State>> {
    const metadata = this.#stamp(origin, accountId);
    const expected: ExpectedRevision = before.revision === -1 ? 'no-stream' : before.revision;
    const stored = events.map((event) => ({
      id: newEventId(),
      ...this.registry.encode(event),
      metadata: { ...metadata, ...this.registry.marksOf(event) },
    }));
    const readAt = performance.now();
    const { revision, position } = await this.#store(stream, stored, expected);
    if (stored.some((event) => this.registry.isEarlier(event))) {
      // The events are read back as their upcasters give them.
      const read = await this.#states.load(aggregate, { stream, accountId });
      return { state: read.state, revision: read.revision, position };
    }
    let state = before.state;
    for (const event of events) {
      const happened: Happened<Event> = { metadata, ...event };
      state = aggregate.evolve(state, happened);
    }
    // A new stream is seldom decided on again.
    if (before.revision >= 0) this.#states.keep(aggregate, stream, { state, revision, readAt });
    return { state, revision, position };
  }

  async #store(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    const began = performance.now();
    const observe = (outcome: 'stored' | 'conflict' | 'failed'): void =>
      this.#observer?.appended(outcome, (performance.now() - began) / 1_000);
    try {
      const result = await this.log.append(stream, events, expected, () =>
        this.#observer?.appendRetried(),
      );
      observe('stored');
      return result;
    } catch (error) {
      observe(error instanceof ConflictError ? 'conflict' : 'failed');
      throw error;
    }
  }

  #stamp({ actor, requestId, trace }: Origin, accountId: string): EventMetadata {
    return {
      occurred_at: this.clock.now().toISOString(),
      actor,
      account_id: accountId,
      request_id: requestId,
      correlation_id: requestId ?? randomUUID(),
      causation_id: randomUUID(),
      ...trace,
    };
  }
}
