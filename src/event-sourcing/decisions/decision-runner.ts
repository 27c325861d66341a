import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Aggregate, Foldable } from '../../kernel/aggregate.js';
import { Backoff } from '../waiting/backoff.js';
import type { Clock } from '../../kernel/clock.js';
import { Refusal, Unavailable } from '../../kernel/errors.js';
import type { DomainEvent, Happened } from '../../kernel/event.js';
import type { EventMetadata, Origin } from '../../kernel/metadata.js';
import { type Position, START } from '../../kernel/position.js';
import {
  type AppendResult,
  ConflictError,
  type EventLog,
  type ExpectedRevision,
  type RecordedEvent,
  type StoredEvent,
} from '../event-log/event-log.js';
import type { EventRegistry } from '../event-log/event-registry.js';
import { KeyedQueue } from '../waiting/keyed-queue.js';
import { type FoldedState, type Source, StateLoader } from './state-loader.js';

/**
 * The time limit of a decision, for its wait behind earlier decisions and its retries after
 * conflicts. As the last attempt begins before the limit, no request waits longer than 10 s.
 */
const LONGEST_MS = 8_000;
/** The maximum of the random pause that spreads retries: after one conflict, and after many. */
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

export interface Decision<State, Event extends DomainEvent> extends Source<State, Event> {
  readonly origin: Origin;
  /** The account whose audit trail shows the change. */
  readonly accountId: string;
  /**
   * Returns the events to append, or throws a Refusal. It may look up facts of other aggregates:
   * after a conflict the runner calls it again, so that it looks them up again.
   */
  decide(state: State): readonly Event[] | Promise<readonly Event[]>;
  /** A hint that the stream does not exist: the first attempt then does not read it. */
  readonly expectNew?: boolean;
  /** The time of the events in all attempts, if `decide` needs it. Default: that of the append. */
  readonly at?: Date;
}

export interface Decided<State> {
  /** The state after the events of the decision; unchanged when it returned no event. */
  readonly state: State;
  /** The revision of the stream's last event; -1 when the stream has no event. */
  readonly revision: number;
  /** The position of the last event that the decision wrote; START when it returned none. */
  readonly position: Position;
}

/** An event that this process appended. Its position is that of the last event of the append. */
export type OwnEvent = Pick<RecordedEvent, 'stream' | 'position' | 'type' | 'data'>;

export type AppendObserver = (outcome: 'stored' | 'conflict' | 'failed', seconds: number) => void;

/**
 * Takes decisions: loads and folds the stream, or takes the state from memory, decides, and appends
 * at the revision of the state. After a conflict it begins again. It takes the decisions on one
 * stream one at a time, so conflicts come only from other processes, or from a wrong `expectNew`.
 */
export class DecisionRunner {
  readonly #queue = new KeyedQueue();
  #observer: AppendObserver | undefined;
  #onAppended: (event: OwnEvent) => void = () => undefined;
  readonly #states: StateLoader;

  constructor(
    private readonly log: EventLog,
    private readonly registry: EventRegistry,
    private readonly clock: Clock,
  ) {
    this.#states = new StateLoader(log, registry);
  }

  observe(observer: AppendObserver): void {
    this.#observer = observer;
  }

  onAppended(listener: (event: OwnEvent) => void): void {
    this.#onAppended = listener;
  }

  /**
   * Returns the current state of an aggregate, folded up to the last event of its stream.
   * @param accountId the account that the load belongs to. When many loads wait, accounts take
   * turns. Default: the stream takes turns like an account.
   * @throws Unreadable when this build cannot read an event of the stream.
   */
  async load<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    id: string,
    accountId?: string,
  ): Promise<State> {
    return (await this.#states.load({ aggregate, id, accountId })).state;
  }

  /** Folds a whole stream of an account. Each call reads the whole stream again. */
  replay<State, Event extends DomainEvent>(
    foldable: Foldable<State, Event>,
    stream: string,
    accountId: string,
  ): Promise<State> {
    return this.#states.replay(foldable, stream, accountId);
  }

  /**
   * Takes a decision and makes it durable.
   * @throws Unreadable when this build cannot read an event of the stream; a Refusal from `decide`;
   * a Refusal `too-many-writers` when waiting and retries take more than 8 s, or the caller
   * disconnects; Unavailable when the log cannot be reached, or could not be for the decision
   * before on the stream.
   */
  run<State, Event extends DomainEvent>(decision: Decision<State, Event>): Promise<Decided<State>> {
    const asked = performance.now();
    return this.#queue.run(decision.aggregate.streamOf(decision.id), (failure) => {
      // Otherwise queued decisions would wait for the log in turn, the last one for all of them.
      if (failure instanceof Unavailable && failure.part === this.log.part) throw failure;
      return this.#run(decision, asked);
    });
  }

  async #run<State, Event extends DomainEvent>(
    decision: Decision<State, Event>,
    asked: number,
  ): Promise<Decided<State>> {
    const { hasLeft } = decision.origin;
    const pauses = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    let begin = (): Promise<FoldedState<State>> => this.#begin(decision, asked);
    while (performance.now() - asked < LONGEST_MS && hasLeft?.() !== true) {
      const folded = await begin();
      const { state, revision } = folded;
      const events = await this.#decide(decision, folded, asked);
      if (events === undefined) {
        begin = () => this.#states.load(decision);
        continue;
      }
      if (events.length === 0) return { state, revision, position: START };
      try {
        return await this.#append(decision, folded, events);
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
        begin = () => this.#states.load(decision);
      }
      await delay(Math.random() * pauses.next());
    }
    throw new Refusal('too-many-writers');
  }

  /**
   * Returns the state for the first attempt: without a question to the log if there is one in
   * memory. The log refuses what is decided on a state that is not the last one.
   */
  async #begin<State, Event extends DomainEvent>(
    decision: Decision<State, Event>,
    asked: number,
  ): Promise<FoldedState<State>> {
    const kept = this.#states.kept(decision);
    if (kept) return kept;
    if (decision.expectNew === true)
      return { state: decision.aggregate.initial, revision: -1, readAt: asked };
    return this.#states.load(decision);
  }

  /**
   * Returns the events to append; undefined when nothing is to be appended, but the state is from
   * memory and may lack what was stored before the decision was requested.
   */
  async #decide<State, Event extends DomainEvent>(
    decision: Decision<State, Event>,
    { state, readAt }: FoldedState<State>,
    asked: number,
  ): Promise<readonly Event[] | undefined> {
    const mayBeOld = readAt < asked;
    try {
      const events = await decision.decide(state);
      return mayBeOld && events.length === 0 ? undefined : events;
    } catch (error) {
      if (mayBeOld && error instanceof Refusal) return undefined;
      throw error;
    }
  }

  async #append<State, Event extends DomainEvent>(
    decision: Decision<State, Event>,
    before: FoldedState<State>,
    events: readonly Event[],
  ): Promise<Decided<State>> {
    const { aggregate, id, origin, accountId, at = this.clock.now() } = decision;
    const metadata = this.#stamp(origin, accountId, at);
    const expected: ExpectedRevision = before.revision === -1 ? 'no-stream' : before.revision;
    const stored = events.map((event) => ({
      // Such ids are ordered by time, so an index stores a new one beside the last.
      id: v7(),
      ...this.registry.encode(event),
      metadata,
    }));
    const readAt = performance.now();
    const stream = aggregate.streamOf(id);
    const { revision, position } = await this.#store(stream, stored, expected);
    let state = before.state;
    for (const event of events) {
      this.#onAppended({ stream, position, type: event.type, data: event.data });
      const happened: Happened<Event> = { metadata, ...event };
      state = aggregate.evolve(state, happened);
    }
    // A new stream is seldom decided on again.
    if (before.revision >= 0) this.#states.keep(decision, { state, revision, readAt });
    return { state, revision, position };
  }

  async #store(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    const began = performance.now();
    const observe = (outcome: 'stored' | 'conflict' | 'failed'): void =>
      this.#observer?.(outcome, (performance.now() - began) / 1_000);
    try {
      const result = await this.log.append(stream, events, expected);
      observe('stored');
      return result;
    } catch (error) {
      observe(error instanceof ConflictError ? 'conflict' : 'failed');
      throw error;
    }
  }

  #stamp({ actor, requestId, trace }: Origin, accountId: string, at: Date): EventMetadata {
    return {
      occurred_at: at.toISOString(),
      actor,
      account_id: accountId,
      request_id: requestId,
      correlation_id: requestId ?? randomUUID(),
      causation_id: randomUUID(),
      ...trace,
    };
  }
}
