import { setTimeout as delay } from 'node:timers/promises';
import type { EventBatch, EventLog, ReadAllOptions } from '../event-log/event-log.js';
import type { EventRegistry } from '../event-log/event-registry.js';
import { Backoff } from '../kernel/backoff.js';
import type { DomainEvent } from '../kernel/event.js';
import { type Position, START } from '../kernel/position.js';
import { type ReadModel, StaleCheckpointError } from '../read-store/read-store.js';
import type { CatchUp, Replay } from './catch-up.js';
import { checkpointsOf } from './checkpoint-watch.js';
import { foldBatch } from './fold-batch.js';
import { forEachBatch } from './for-each-batch.js';
import { giveUpTurn, KeptTurn, LOOK_FOR_SUCCESSOR_EVERY_MS } from './kept-turn.js';
import { pause } from './pause.js';
import { type Projection, typesOf } from './projection.js';
import { ProjectorCondition, type ProjectorNews, type ProjectorState } from './projector-state.js';
import { Progress } from './progress.js';
import { cutOff, readBatch } from './read-batch.js';
import type { RunningProjection } from './running-projection.js';

const BACKOFF_MS = { first: 100, longest: 10_000 };
/** Batches without an event of ours after which the checkpoint is moved all the same, to keep restarts short. */
const IDLE_BATCHES_BETWEEN_SAVES = 100;
/** How long events may gather for one write, for as long as nobody waits for them: each write has its own cost. */
const GATHER_MS = 50;
/** Events in a batch from which on there is no use in gathering more. */
const GATHERED = 100;
/** How often a process that does not stay looks how far another has come. */
const WATCH_EVERY_MS = 10;

/**
 * Feeds one projection from the log: pulls a batch, folds it, writes documents and checkpoint together, then
 * says how far it is. Of several processes that share a read model one has the turn to do so, and the others go
 * along with its checkpoint. A fault stops this projection alone; it is tried again, ever more slowly, for ever.
 */
export class Projector implements RunningProjection {
  readonly progress = new Progress();
  readonly caughtUp: Promise<void>;
  /** Resolves when it has caught up, or could not at its first attempt. */
  readonly attempted: Promise<void>;
  readonly #options: ReadAllOptions;
  #announceCaughtUp = (): void => undefined;
  #announceAttempted = (): void => undefined;
  readonly #condition: ProjectorCondition;
  #onChange = (): void => undefined;
  #eventsFolded = 0;
  /** As the store has it; what is ahead of it in `progress` held no event of this projection. */
  #checkpoint: Position = START;
  #idleBatches = 0;

  constructor(
    readonly projection: Projection<DomainEvent>,
    private readonly log: EventLog,
    private readonly registry: EventRegistry,
    readonly model: ReadModel,
    private readonly tell: (news: ProjectorNews) => void,
  ) {
    this.#condition = new ProjectorCondition(projection.name, tell);
    this.#options = { types: typesOf(projection) };
    this.caughtUp = new Promise((resolve) => (this.#announceCaughtUp = resolve));
    this.attempted = new Promise((resolve) => (this.#announceAttempted = resolve));
  }

  get state(): ProjectorState {
    return this.#condition.state;
  }

  get fault(): unknown {
    return this.#condition.fault;
  }

  get eventsFolded(): number {
    return this.#eventsFolded;
  }

  /** Tells one observer whenever it has come farther, gone over to another generation, or its state has changed. */
  observe(onChange: () => void): void {
    this.#onChange = onChange;
    this.progress.observe(onChange);
    this.#condition.observe(onChange);
  }

  /** Projects until `signal` aborts, and leaves the checkpoint where the work is. */
  async run(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(BACKOFF_MS.first, BACKOFF_MS.longest);
    this.#condition.catchUp();
    while (!signal.aborted) {
      try {
        await this.#succeed(signal);
        const target = await this.#resume();
        const steps = (await this.model.takeTurn()) ? this.#lead(signal) : this.#watch(signal);
        await this.#settle(target, signal);
        for await (const _ of steps) {
          await this.#settle(target, signal);
          backoff.reset();
        }
      } catch (error) {
        if (error instanceof StaleCheckpointError) continue;
        this.#condition.stick(error, this.progress.position);
        this.#announceAttempted();
        await pause(this.model, backoff.next(), signal);
      }
    }
    this.#announceAttempted();
  }

  /** Projects what the log holds now, or waits until another has, and resolves; for processes that do not stay. */
  async catchUp({ upTo, signal, onProgress }: CatchUp = {}): Promise<void> {
    let target = upTo;
    const fold = async (batch: EventBatch): Promise<boolean> => {
      signal?.throwIfAborted();
      try {
        await this.#apply(target === undefined ? batch : cutOff(batch, target));
      } finally {
        // What is before an event that cannot be read was written.
        onProgress?.(this.progress.position, this.#eventsFolded);
      }
      return target === undefined || this.progress.position < target;
    };
    for (;;) {
      try {
        const head = await this.#resume();
        // Not until there is nothing left: with many writing that might never be.
        target ??= head;
        if (this.progress.position >= target) return;
        if (!(await this.model.takeTurn())) {
          await delay(WATCH_EVERY_MS, undefined, { signal });
          continue;
        }
        await forEachBatch(this.log.readAll(this.progress.position, this.#options), fold);
        return;
      } catch (error) {
        if (!(error instanceof StaleCheckpointError)) throw error;
      } finally {
        await giveUpTurn(this.model);
      }
    }
  }

  /** Catches up for a projector that goes on from there, and leaves the read model as `run` would. */
  async fill(options: CatchUp = {}): Promise<void> {
    await this.catchUp(options);
    await this.#saveCheckpoint();
    await this.model.finishReplay(options.signal);
  }

  /**
   * Waits for a replay in a generation beside, to which it goes over when it runs. What keeps that from coming to its end is
   * told, and nothing is lost but time.
   */
  async awaitReplay(
    signal: AbortSignal,
    replay: (options: Replay) => Promise<unknown>,
  ): Promise<void> {
    this.#condition.catchUp();
    const onProgress = (_reached: Position, folded: number): void => {
      this.#eventsFolded = folded;
      this.#onChange();
    };
    try {
      await replay({ signal, onProgress });
    } catch (error) {
      if (!signal.aborted) this.#condition.stick(error, this.progress.position);
    }
  }

  /** Folds what comes, step by step, for as long as it has the turn in the generation that serves. */
  async *#lead(signal: AbortSignal): AsyncIterable<void> {
    const turn = new KeptTurn(this.model, signal, {
      reachLog: () => this.log.head(),
      hasGoneBack: () => this.#hasGoneBack(),
    });
    const { position } = this.progress;
    try {
      for await (const batch of this.log.follow(position, turn.over, this.#options)) {
        await this.#apply(batch);
        yield;
        await this.#gather(batch);
      }
      await this.#saveCheckpoint();
    } finally {
      await turn.giveUp();
    }
  }

  /** Goes along with the process that has the turn, step by step, until it gets the turn or must begin anew. */
  async *#watch(signal: AbortSignal): AsyncIterable<void> {
    let asked = performance.now();
    for await (const checkpoint of checkpointsOf(this.model, this.progress, signal)) {
      if (checkpoint < this.#checkpoint) {
        this.progress.moveTo(checkpoint);
        return;
      }
      this.#checkpoint = checkpoint;
      if (checkpoint > this.progress.position) this.progress.moveTo(checkpoint);
      yield;
      if (performance.now() - asked < LOOK_FOR_SUCCESSOR_EVERY_MS) continue;
      asked = performance.now();
      if ((await this.model.isSuperseded()) || (await this.model.takeTurn())) return;
    }
  }

  /** Goes over to the generation that has come to serve, if one has, once that is at least as far as this one. */
  async #succeed(signal: AbortSignal): Promise<void> {
    const next = await this.model.successor();
    if (!next) return;
    const { projection, log, registry, tell } = this;
    try {
      await new Projector(projection, log, registry, next.model, tell).fill({ signal });
      await next.serve();
    } catch (error) {
      await next.discard();
      if (!signal.aborted) throw error;
      return;
    }
    this.#onChange();
    tell({ projection: projection.name, state: 'gone-over', generation: this.model.generation });
  }

  /**
   * Goes back to the stored checkpoint, or stays ahead of it where that is known to have held no event of this
   * projection. @returns the head of the log, up to which it is catching up.
   */
  async #resume(): Promise<Position> {
    const before = this.#checkpoint;
    this.#checkpoint = await this.#storedCheckpoint();
    const head = await this.log.head();
    if (!(await this.log.holds(this.#checkpoint))) {
      throw new Error(
        `its checkpoint ${this.#checkpoint} is not in the log, which ends at ${head || 'its start'}: the log was ` +
          'wiped, restored from an older copy, or is another one; rebuild the projection to fold it anew',
      );
    }
    const ahead = before === this.#checkpoint && (await this.log.holds(this.progress.position));
    if (!ahead) this.progress.moveTo(this.#checkpoint);
    return head;
  }

  /** Of a store that lost what it had, and answers from what is left, it is told at once. */
  async #storedCheckpoint(): Promise<Position> {
    const known = this.#checkpoint;
    const stored = await this.model.checkpoint();
    if (stored < known) {
      this.progress.moveTo(stored);
      this.#condition.catchUp();
    }
    return stored;
  }

  async #hasGoneBack(): Promise<boolean> {
    const known = this.#checkpoint;
    return (await this.#storedCheckpoint()) < known;
  }

  async #apply(batch: EventBatch): Promise<void> {
    if (batch.events.length === 0) return this.#pass(batch.reached);
    const { events, reached, fault } = readBatch(batch, this.registry);
    if (reached !== undefined) {
      const writes = await foldBatch(this.projection, events, this.model);
      await this.model.write(writes, this.#checkpoint, reached);
      this.#checkpoint = reached;
      this.#idleBatches = 0;
      this.#eventsFolded += events.length;
      this.progress.moveTo(reached);
    }
    if (fault) throw fault;
  }

  /** Goes on where there was no event of this projection. */
  async #pass(reached: Position): Promise<void> {
    this.progress.moveTo(reached);
    this.#idleBatches += 1;
    // Those who share the read model see by its checkpoint alone how far it is.
    if (this.model.isShared || this.#idleBatches >= IDLE_BATCHES_BETWEEN_SAVES) {
      await this.#saveCheckpoint();
    }
  }

  async #gather({ events }: EventBatch): Promise<void> {
    // Who shares the read model may wait without being heard here.
    if (this.state !== 'live' || this.model.isShared || events.length >= GATHERED) return;
    await this.progress.awaited(GATHER_MS);
  }

  async #settle(target: Position, signal: AbortSignal): Promise<void> {
    if (this.state === 'live') return;
    if (this.progress.position < target) {
      this.#condition.reach(this.progress.position);
      return;
    }
    await this.model.finishReplay(signal);
    if (signal.aborted) return;
    this.#condition.live();
    this.#announceCaughtUp();
    this.#announceAttempted();
  }

  async #saveCheckpoint(): Promise<void> {
    const reached = this.progress.position;
    if (reached === this.#checkpoint) return;
    await this.model.write([], this.#checkpoint, reached);
    this.#checkpoint = reached;
    this.#idleBatches = 0;
  }
}
