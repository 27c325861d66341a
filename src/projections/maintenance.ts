import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, Unavailable } from '../kernel/errors.js';
import type { DomainEvent } from '../kernel/event.js';
import { type Position, START } from '../kernel/position.js';
import type { Comparison } from './compare.js';
import type { Generations } from './generations.js';
import { generationIn } from './names.js';
import { LogIdentity } from './log-identity.js';
import { named, type Projection, typesOf } from './projection.js';
import type { Projections } from './projections.js';
import { OtherLogError, Projector } from './projector.js';
import { type FoldOptions, Refold } from './refold.js';
import type { Sources } from './sources.js';
import { obstacleAfter, type ProjectionStatus, statusOf } from './status.js';

/** How long whoever feeds the read model may take for what was in the log before. */
const UP_TO_DATE_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 50;
/** How often a command looks whether a projection is stuck, while it waits for it. */
const LOOK_FOR_FAULT_MS = 50;
/** How long a command waits for a service that does not get on. */
const PATIENCE_MS = 3_000;

export interface Rebuilt {
  /** Events of the projection, folded from the start of the log. */
  readonly events: number;
  readonly seconds: number;
  /** How many documents were not what they should have been; or why that is not known. */
  readonly differences:
    number | 'of another log' | 'nothing served' | { readonly unreadable: unknown };
}

export interface Verified extends Comparison {
  /** Events of the projection that the stored read model still lacks, though they were in the log before. */
  readonly lag: number;
}

/** The tasks of an operator with the projections, beside a running service or without one. */
export class Maintenance {
  constructor(
    private readonly definitions: readonly Projection<DomainEvent>[],
    private readonly projections: Projections,
    private readonly generations: Generations,
    private readonly sources: Sources,
  ) {}

  get names(): string[] {
    return this.definitions.map(({ name }) => name);
  }

  /**
   * Projects what the log holds now, or waits until the service has.
   * @throws what keeps the projection from that.
   */
  async catchUp(name: string): Promise<void> {
    this.projections.start();
    const running = this.projections.get(name);
    const head = await this.sources.log.head();
    let reached = running.progress.position;
    let reachedAt = performance.now();
    while (!(await running.progress.waitFor(head, LOOK_FOR_FAULT_MS))) {
      if (running.state === 'stuck') throw asError(running.fault);
      if (running.progress.position !== reached) {
        reached = running.progress.position;
        reachedAt = performance.now();
      }
      if (performance.now() - reachedAt > PATIENCE_MS) await this.#requireProgress(name, reached);
    }
  }

  /** Where a service feeds the projection, only that knows what holds it up. */
  async #requireProgress(name: string, reached: Position): Promise<void> {
    const types = typesOf(named(name, this.definitions));
    const obstacle = await obstacleAfter(reached, types, this.sources);
    if (obstacle instanceof Error) throw obstacle;
    throw new Unavailable(`read model ${name}`, 'whoever feeds it does not get on');
  }

  /** How far a projection is, and what is in its way. @throws when there is none of that name. */
  async status(name: string): Promise<ProjectionStatus> {
    return statusOf(named(name, this.definitions), this.generations, this.sources);
  }

  /**
   * Tells a log that was lost from one that never was: read models may be the last copy of what was in it. To be asked
   * before the first thing is done on a log.
   * @param names of the projections that are looked at. Default: all.
   * @throws when the log is empty and a read model has folded events.
   */
  async refuseLostLog(names: readonly string[] = this.names): Promise<void> {
    if ((await this.sources.log.head()) !== START) return;
    for (const { name, checkpoint } of await this.sources.store.namespaces()) {
      const found = generationIn(name);
      if (!found || checkpoint === START || !names.includes(found.projection)) continue;
      throw new Error(
        `the event log is empty, but ${found.projection} has folded one up to position ${checkpoint}: ` +
          'the log was lost, or it is not the one that these read models belong to. ' +
          'Restore the log from a backup, or name the right one. ' +
          'To begin anew, remove the read models: they may be the last copy of what the log held',
      );
    }
  }

  /**
   * Folds the log into a new generation beside the one that serves, compares the two, and lets the new one serve. Until
   * then, and when anything goes wrong, the old one is untouched.
   * @throws when there is no projection of that name, and where it would drop the last copy of a log that was lost.
   */
  async rebuild(name: string, options: FoldOptions = {}): Promise<Rebuilt> {
    const projection = named(name, this.definitions);
    await this.refuseLostLog([name]);
    const began = performance.now();
    const refold = await Refold.begin(projection, this.generations, this.sources, options);
    let isServing = false;
    try {
      const differences = await this.#differencesTo(projection, refold, options);
      await refold.serve();
      isServing = true;
      const seconds = Math.max(1, Math.round(performance.now() - began)) / 1_000;
      return { events: refold.projector.eventsFolded, seconds, differences };
    } finally {
      // What cannot be removed now is swept later, and must not hide what went wrong.
      await refold.end(isServing).catch(() => undefined);
    }
  }

  /**
   * Folds the log afresh and compares every document with the stored one. Changes nothing.
   * @throws when there is no projection of that name, or the stored read model is not of this log.
   */
  async verify(name: string, options: FoldOptions = {}): Promise<Verified> {
    const projection = named(name, this.definitions);
    const serving = await this.#serving(projection);
    if (!serving) throw new Error(`${name} was never folded; start the service, or rebuild it`);
    await serving.open(new LogIdentity(this.sources.log), this.sources.log);
    const head = await this.sources.log.head();
    const refold = await Refold.begin(projection, this.generations, this.sources, options);
    try {
      const compared = await refold.compareWith(serving);
      return { ...compared, lag: await this.#lagBehind(head, serving, options) };
    } finally {
      await refold.end(false).catch(() => undefined);
    }
  }

  /** How much of the log is before a position, of 1. */
  async shareBefore(position: Position): Promise<number> {
    const { passed, ahead } = await this.sources.log.place(position);
    return ahead === 0 ? 1 : passed / (passed + ahead);
  }

  async #serving(projection: Projection<DomainEvent>): Promise<Projector | undefined> {
    const generation = await this.generations.serving(projection);
    if (generation === null) return undefined;
    const namespace = this.generations.open(projection, generation);
    return new Projector(projection, generation, namespace);
  }

  /** What serves may be broken, which is what a rebuild is for. The fold alone tells what keeps it from folding. */
  async #differencesTo(
    projection: Projection<DomainEvent>,
    refold: Refold,
    { signal }: FoldOptions,
  ): Promise<Rebuilt['differences']> {
    try {
      const serving = await this.#serving(projection);
      if (!serving) return 'nothing served';
      const isOurs = await serving
        .open(new LogIdentity(this.sources.log), this.sources.log)
        .then(() => true, isOfThisLog);
      if (!isOurs) return 'of another log';
      return (await refold.compareWith(serving)).differences.length;
    } catch (error) {
      signal?.throwIfAborted();
      return { unreadable: error };
    }
  }

  async #lagBehind(
    head: Position,
    { projection, namespace }: Projector,
    { signal }: FoldOptions,
  ): Promise<number> {
    const types = typesOf(projection);
    const deadline = performance.now() + UP_TO_DATE_WITHIN_MS;
    for (;;) {
      const checkpoint = await namespace.checkpoint();
      if (checkpoint >= head) return 0;
      const lag = await this.sources.log.countAfter(checkpoint, { types });
      if (lag === 0 || performance.now() > deadline) return lag;
      await delay(LOOK_EVERY_MS, undefined, { signal });
    }
  }
}

function asError(fault: unknown): Error {
  return fault instanceof Error ? fault : new Error(messageOf(fault));
}

function isOfThisLog(error: unknown): boolean {
  if (error instanceof OtherLogError) return false;
  throw error;
}
