import { setTimeout as delay } from 'node:timers/promises';
import { UnheldPositionError } from '../../event-log/event-log.js';
import { messageOf, Unavailable } from '../../../kernel/errors.js';
import { distanceTo, type Position, START } from '../../../kernel/position.js';
import { generationIn, Generations } from '../generations.js';
import type { ReadModels } from '../read-models.js';
import { documentCollections, type ReadSide, type Sources } from '../read-side.js';
import { type FoldOptions, Rebuild } from './rebuild.js';
import { obstacleTo, type ReadSideStatus, statusOf } from './status.js';
import { compare, type Comparison } from './verify.js';

/** How often a command that waits for the read models checks whether they are stuck. */
const LOOK_FOR_FAULT_MS = 50;
/** How long a command waits for read models that make no progress. */
const NO_PROGRESS_MS = 3_000;

/** The tasks of an operator for a read side, with or without a running service. */
export class Maintenance {
  readonly #generations: Generations;

  constructor(
    private readonly readSide: ReadSide,
    private readonly models: ReadModels,
    private readonly sources: Sources,
  ) {
    this.#generations = new Generations(readSide, sources.store);
  }

  get name(): string {
    return this.readSide.name;
  }

  /**
   * Starts the read models, and waits until they have folded all events that the log holds at the
   * call. This process or a running service folds the events.
   * @throws the fault that prevents the fold; Unavailable when the service makes no progress.
   */
  async catchUp(): Promise<void> {
    const { progress } = this.models;
    this.models.start();
    const head = await this.sources.log.head();
    let reached = progress.position;
    let reachedAt = performance.now();
    while (!(await this.#waitUntilServed(head))) {
      const { phase, fault } = this.models.state;
      if (phase === 'stuck') throw fault instanceof Error ? fault : new Error(messageOf(fault));
      if (progress.position !== reached) {
        reached = progress.position;
        reachedAt = performance.now();
      }
      if (performance.now() - reachedAt > NO_PROGRESS_MS) await this.#requireProgress();
    }
  }

  /** Returns the checkpoint of the generation that serves; null while none serves. */
  async servedCheckpoint(): Promise<Position | null> {
    const { serving, checkpoint } = await this.#generations.look();
    return serving === null ? null : checkpoint;
  }

  status(): Promise<ReadSideStatus> {
    return statusOf(this.readSide, this.sources);
  }

  /**
   * Refuses an empty log if read models have folded events: then the log was lost, and they may be
   * the last copy of its events. Callers call this before their first action on a log.
   * @throws when the log is empty and read models have folded events.
   */
  async refuseLostLog(): Promise<void> {
    if ((await this.sources.log.identity()) !== null) return;
    for (const { name, checkpoint } of await this.sources.store.namespaces()) {
      if (generationIn(name)?.readSide !== this.name || checkpoint === START) continue;
      throw new Error(
        `the event log is empty, but the read models of ${this.name} contain events up to position ${checkpoint}: ` +
          'the event log was lost, or it is not the one that these read models belong to. ' +
          'Restore the event log from a backup, or name the right one. ' +
          'To begin with a new event log, remove the read models: they may be the last copy of the lost events',
      );
    }
  }

  /**
   * Folds the log into a new generation beside the one that serves, and lets the new one serve. The
   * old generation stays untouched until then, and when the rebuild fails.
   * @throws when the rebuild would drop the last copy of a lost log.
   */
  async rebuild(options: FoldOptions = {}): Promise<Record<'events' | 'seconds', number>> {
    await this.refuseLostLog();
    const began = performance.now();
    return this.#withRebuild(options, async (rebuild) => {
      await rebuild.serve();
      const seconds = Math.max(1, Math.round(performance.now() - began)) / 1_000;
      return { events: rebuild.writer.eventsFolded, seconds };
    });
  }

  /**
   * Folds the log afresh, and compares all documents with the stored ones, which do not change.
   * @throws when nothing was folded yet, and when what is stored was folded from another log.
   */
  async verify(options: FoldOptions = {}): Promise<Comparison> {
    const { serving } = await this.#generations.look();
    if (serving === null)
      throw new Error(
        `read models of ${this.name} do not exist yet: start the service, or rebuild them`,
      );
    const stored = this.#generations.open(serving);
    const obstacle = await obstacleTo(this.readSide, stored, this.sources);
    if (obstacle instanceof UnheldPositionError) throw obstacle;
    return this.#withRebuild(options, (rebuild) =>
      compare(documentCollections(this.readSide), rebuild, stored),
    );
  }

  /** Returns the share of the log before a position, from 0 to 1. */
  async shareBefore(position: Position): Promise<number> {
    const head = distanceTo(await this.sources.log.head(position));
    return head === 0 ? 1 : Math.min(1, distanceTo(position) / head);
  }

  async #withRebuild<Result>(
    options: FoldOptions,
    work: (rebuild: Rebuild) => Promise<Result>,
  ): Promise<Result> {
    const generation = (await this.#generations.look()).newest + 1;
    const rebuild = new Rebuild(
      this.readSide,
      this.sources,
      options,
      this.#generations,
      generation,
    );
    try {
      return await work(rebuild);
    } finally {
      // A generation that cannot go now is swept later. No error of `end` may hide another one.
      await rebuild.end().catch(() => undefined);
    }
  }

  /** Waits for a short time until a generation serves that has reached a position. */
  async #waitUntilServed(position: Position): Promise<boolean> {
    const { progress, state } = this.models;
    if (state.generation !== null) return progress.waitFor(position, LOOK_FOR_FAULT_MS);
    await delay(LOOK_FOR_FAULT_MS);
    return false;
  }

  /** Throws the fault in the log that stops the fold; without one, blames the folding process. */
  async #requireProgress(): Promise<void> {
    const { serving } = await this.#generations.look();
    if (serving !== null) {
      const obstacle = await obstacleTo(
        this.readSide,
        this.#generations.open(serving),
        this.sources,
      );
      if (obstacle instanceof Error) throw obstacle;
    }
    const problem = 'the process that updates them makes no progress';
    throw new Unavailable(`read models of ${this.name}`, problem);
  }
}
