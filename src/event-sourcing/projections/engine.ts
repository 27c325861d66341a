import { randomUUID } from 'node:crypto';
import { aborted } from 'node:util';
import { UnheldPositionError } from '../event-log/event-log.js';
import { Backoff } from '../waiting/backoff.js';
import { messageOf } from '../../kernel/errors.js';
import { inTime } from '../waiting/in-time.js';
import { LinkedAbort } from '../waiting/linked-abort.js';
import { pause } from '../waiting/pause.js';
import { type Position, START } from '../../kernel/position.js';
import type { Lease } from '../read-store/read-store.js';
import { AwaitedPosition } from './awaited-position.js';
import { decodeBatch } from './decoded-batch.js';
import { foldAhead, foldParts } from './fold-ahead.js';
import { type FoldedPart, GenerationWriter } from './generation-writer.js';
import { Generations } from './generations.js';
import { repeat } from '../waiting/repeat.js';
import type { ReadSide, Sources } from './read-side.js';
import { type ReadSidePhase, type ReadSideState, UNKNOWN_STATE } from './read-side-state.js';
import { StalledError, watch } from './watched-subscription.js';

const BACKOFF_MS = { first: 100, longest: 10_000 };
/** How long a lease lasts without a renewal. Then another replica may take it. */
const LEASE_MS = 1_200;
/** How often a process asks for the lease. With `LEASE_MS`, a new leader is found within 2 s. */
const ASK_EVERY_MS = 750;
const RELEASED_WITHIN_MS = 5_000;
/** How long a stalled leader waits to ask for the lease again, so that another one can take it. */
const STAND_BACK_MS = 1_500;
/** How often a process looks at generations: a follower while a reader waits, and otherwise. */
const LOOK_AT_GENERATIONS_MS = { awaited: 10, idle: 1_500 };
/**
 * How long events may gather for one write while no reader waits for them, because every write has
 * a cost: some 20 events a write took twice the processor time of some 150. It is no longer than
 * the last write took where few events come, so that a read finds them folded, and in a shared
 * store, because readers in other processes cannot end this.
 */
const GATHER_MS = 30;
const FEW_EVENTS = 5;
/** After a batch of at least this many events, the engine does not wait for more events. */
const GATHERED = 200;

interface OpenGeneration {
  readonly generation: number;
  readonly writer: GenerationWriter;
  /** Whether the generation is being filled, and does not serve yet. */
  isFilling: boolean;
}

/**
 * Keeps a read side up to date. Of the processes that share a store, the leader holds the lease and
 * folds the log. The others follow its checkpoints, and subscribe to nothing.
 */
export class Engine {
  readonly #generations: Generations;
  readonly #awaited = new AwaitedPosition();
  readonly #stopping = new AbortController();
  readonly #holder = randomUUID();
  readonly #backoff = new Backoff(BACKOFF_MS.first, BACKOFF_MS.longest);
  #state = UNKNOWN_STATE;
  #beats = 0;
  #foldedBefore = 0;
  #running: Promise<void> = Promise.resolve();

  /** @param report is called with what has changed in the state of the read side. */
  constructor(
    private readonly readSide: ReadSide,
    private readonly sources: Sources,
    private readonly report: (changes: Partial<ReadSideState>) => void,
  ) {
    this.#generations = new Generations(readSide, sources.store);
  }

  /** Starts the engine in the background. The engine runs until `stop`. */
  start(): void {
    this.#update({ phase: 'catching-up' });
    this.#running = this.#run(this.#stopping.signal);
  }

  /** Stops the engine. A leader releases the lease. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Hurries for a reader: a leader gathers no events, a follower reads checkpoints every 10 ms. */
  hurry(position: Position, timeoutMs: number): void {
    this.#awaited.note(position, timeoutMs);
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const lease = await this.#ask();
        if (lease.isHeld) await this.#lead(signal);
        else await this.#follow(lease, signal);
      } catch (fault) {
        if (this.#stopping.signal.aborted) return;
        const isStalled = fault instanceof StalledError;
        this.#update({ phase: isStalled ? 'stalled' : 'stuck', fault });
        await pause(isStalled ? STAND_BACK_MS : this.#backoff.next(), signal);
      }
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const over = new LinkedAbort(signal);
    const endKeeping = repeat(ASK_EVERY_MS, async () => {
      if (!(await this.#ask()).isHeld) over.abort();
    });
    try {
      while (!over.signal.aborted) await this.#turn(over.signal);
    } finally {
      // A call for the lease that is still under way would take the lease again after its release.
      await inTime(endKeeping(), RELEASED_WITHIN_MS).catch(() => undefined);
      over.unlink();
      const released = this.sources.store.release(this.#generations.lease, this.#holder);
      await inTime(released, RELEASED_WITHIN_MS).catch(() => undefined);
    }
  }

  /** Folds the log into the generation that serves, or fills one, until another is to be folded. */
  async #turn(signal: AbortSignal): Promise<void> {
    const { log, registry, store } = this.sources;
    const turn = new LinkedAbort(signal);
    const opened = await this.#open(turn.signal);
    const { writer } = opened;
    const endLooking = repeat(LOOK_AT_GENERATIONS_MS.idle, () => this.#look(opened, turn.abort));
    try {
      await writer.open();
      let head = await this.#head(turn.signal, writer.position);
      await this.#advance(opened, head, turn.signal);
      const batches = log.follow(writer.position, turn.signal);
      const seen = watch(batches, writer.position, log, turn.signal);
      const parts = foldParts(writer, seen, (batch) => decodeBatch(batch, registry));
      const hasMore = ({ reached, events }: FoldedPart): boolean =>
        reached < head || events >= GATHERED;
      for await (const part of foldAhead(parts, hasMore)) {
        const began = performance.now();
        await writer.write(part);
        if (opened.isFilling && writer.position >= head) {
          head = await this.#head(turn.signal, writer.position);
        }
        await this.#advance(opened, head, turn.signal);
        const isShort = store.isShared || part.events < FEW_EVENTS;
        const longest = isShort ? performance.now() - began : GATHER_MS;
        if (!hasMore(part) && !this.#awaited.isBeyond(part.reached)) {
          await this.#awaited.sleep(Math.min(longest, GATHER_MS), turn.signal);
        }
      }
    } catch (error) {
      if (turn.signal.aborted) return;
      // A generation that was begun from another log is useless. The next turn begins again.
      if (opened.isFilling && error instanceof UnheldPositionError) {
        await this.sources.store.drop(this.#generations.nameOf(opened.generation));
      }
      throw error;
    } finally {
      void endLooking();
      // A subscription that was given up waits for an event, and ends by this signal alone.
      turn.abort();
      turn.unlink();
      this.#foldedBefore += writer.eventsFolded;
    }
  }

  /** Opens the generation that serves, or one that nobody fills any more, or begins one. */
  async #open(signal: AbortSignal): Promise<OpenGeneration> {
    const { serving } = await this.#generations.look();
    const isFilling = serving === null;
    if (isFilling) this.#update({ generation: null, position: START });
    const begun = serving ?? (await this.#generations.findAbandoned(LEASE_MS, signal));
    const generation = begun ?? (await this.#generations.look()).newest + 1;
    // Somebody may have removed what this process has open under the same name.
    if (begun === undefined) await this.sources.store.drop(this.#generations.nameOf(generation));
    const namespace = this.#generations.open(generation, isFilling);
    const writer = new GenerationWriter(this.readSide, namespace, this.sources.log);
    return { generation, writer, isFilling };
  }

  /** Reports how far a generation is folded. A filled one serves once it is level with the log. */
  async #advance(opened: OpenGeneration, head: Position, signal: AbortSignal): Promise<void> {
    const { generation, writer } = opened;
    const { position, parked } = writer;
    const isLevel = position >= head;
    if (opened.isFilling && isLevel) {
      await writer.namespace.settle(signal);
      await this.#generations.serve(generation, writer.namespace);
      opened.isFilling = false;
    }
    // No reader goes back: a new generation is read once it is as far as the one before.
    const isRead = !opened.isFilling && position >= this.#state.position;
    const isNews = isLevel || this.#state.phase !== 'live';
    const phase = isLevel ? ('live' as const) : ('catching-up' as const);
    if (isLevel) this.#backoff.reset();
    this.#update({
      eventsFolded: this.#foldedBefore + writer.eventsFolded,
      ...(isRead && { generation, position, parked }),
      ...(isNews && { phase, fault: null }),
    });
  }

  /** Looks whether others have filled or dropped a generation, and drops what nobody uses. */
  async #look(opened: OpenGeneration, endTurn: () => void): Promise<void> {
    const { generation, isFilling } = opened;
    const seen = await this.#generations.look();
    const serving = seen.serving ?? 0;
    if (serving > generation || (!isFilling && serving < generation)) endTurn();
    else if (seen.serving === this.#state.generation) await this.#generations.sweep(seen);
  }

  async #follow(lease: Lease, signal: AbortSignal): Promise<void> {
    const target = await this.#head(signal, (await this.#generations.look()).checkpoint);
    let leader = lease;
    let changedAt = performance.now();
    let askAt = changedAt + ASK_EVERY_MS;
    let lookAt = 0;
    let isLevel = false;
    while (!signal.aborted) {
      if (performance.now() >= lookAt || this.#isAwaited) {
        lookAt = performance.now() + LOOK_AT_GENERATIONS_MS.idle;
        const { serving, checkpoint } = await this.#generations.look();
        isLevel ||= serving !== null && checkpoint >= target;
        this.#update({
          generation: serving,
          position: checkpoint,
          ...followerState(leader, isLevel),
        });
        this.#backoff.reset();
      }
      const idleMs = Math.min(lookAt, askAt) - performance.now();
      await this.#awaited.sleep(this.#isAwaited ? LOOK_AT_GENERATIONS_MS.awaited : idleMs, signal);
      if (performance.now() < askAt) continue;
      const { progress } = leader;
      leader = await this.#ask();
      if (leader.isHeld) return;
      const now = performance.now();
      if (leader.progress !== progress) changedAt = now;
      // A lease whose holder has ended is free after `LEASE_MS`, which may be before the next time.
      const freeAt = changedAt + LEASE_MS;
      askAt = freeAt > now ? Math.min(now + ASK_EVERY_MS, freeAt) : now + ASK_EVERY_MS;
    }
  }

  get #isAwaited(): boolean {
    return this.#awaited.isBeyond(this.#state.position);
  }

  /** Returns the log's head. @throws when the signal aborts first: a log may never answer. */
  async #head(signal: AbortSignal, reached: Position): Promise<Position> {
    const head = await Promise.race([this.sources.log.head(reached), aborted(signal, this)]);
    signal.throwIfAborted();
    return head ?? START;
  }

  /** Takes or prolongs the lease, and reports the state of this leader to its followers. */
  #ask(): Promise<Lease> {
    const { phase, fault, parked } = this.#state;
    this.#beats += 1;
    const beat: Beat = [this.#beats, phase, fault === null ? null : messageOf(fault), parked];
    const { lease } = this.#generations;
    return this.sources.store.lease(lease, this.#holder, JSON.stringify(beat), LEASE_MS);
  }

  #update(changes: Partial<ReadSideState>): void {
    this.#state = { ...this.#state, ...changes };
    this.report(changes);
  }
}

/** The report of a leader with its lease: a growing number, phase, fault and parked accounts. */
type Beat = readonly [count: number, phase: ReadSidePhase, fault: string | null, parked: number];

/** Returns a follower's state: the leader's, live only once the follower saw the log's head. */
function followerState({ progress }: Lease, isLevel: boolean): Partial<ReadSideState> {
  const own = { phase: isLevel ? 'live' : 'catching-up', fault: null } as const;
  // A sweeper that has the lease for a moment reports nothing.
  if (progress === null || progress === '') return own;
  const [, phase, fault, parked] = JSON.parse(progress) as Beat;
  if (phase === 'live') return { ...own, parked };
  return { phase, fault: fault && new Error(fault), parked };
}
