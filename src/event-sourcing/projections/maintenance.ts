import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, Unavailable } from '../../kernel/errors.js';
import type { DomainEvent } from '../../kernel/event.js';
import { type Position, START } from '../../kernel/position.js';
import { RepeatedDocumentError } from '../read-store/read-store.js';
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

/** How long `verify` waits for the service to fold the events that the log held at the call. */
const UP_TO_DATE_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 50;
/** How often a command that waits for a projection checks whether the projection is stuck. */
const LOOK_FOR_FAULT_MS = 50;
/** How long a command waits for a projection that makes no progress. */
const PATIENCE_MS = 3_000;

export interface Rebuilt {
  /** The number of events that the rebuild folded, from the start of the log. */
  readonly events: number;
  readonly seconds: number;
  /** The number of documents that were wrong before the rebuild, or why the number is not known. */
  readonly differences:
    number | 'of another log' | 'nothing served' | { readonly unreadable: unknown };
}

export interface Verified extends Comparison {
  /** The number of events that the stored read model still lacks; 0 if it has all that the log held at the call. */
  readonly lag: number;
}

/** The tasks of an operator for the projections, with or without a running service. */
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
   * Starts the projections, and waits until one projection has folded all events that the log holds at the call. This
   * process or a running service folds the events.
   * @throws the fault that prevents the projection from folding; Unavailable when the service makes no progress.
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

  /** Throws the fault in the log that stops a projection. Without a fault, blames the process that feeds it. */
  async #requireProgress(name: string, reached: Position): Promise<void> {
    const types = typesOf(named(name, this.definitions));
    const obstacle = await obstacleAfter(reached, types, this.sources);
    if (obstacle instanceof Error) throw obstacle;
    throw new Unavailable(`read model ${name}`, 'the process that feeds it makes no progress');
  }

  /** Returns how far a projection is, and what keeps it from folding. @throws when no projection has that name. */
  async status(name: string): Promise<ProjectionStatus> {
    return statusOf(named(name, this.definitions), this.generations, this.sources);
  }

  /**
   * Refuses an empty log if read models have folded events, because then the log was lost. The read models may be the
   * last copy of its events. Callers call this function before the first action on a log.
   * @param names the names of the projections to check. Default: all.
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
   * Folds the log into a new generation beside the one that serves, compares the two, and lets the new one serve. The
   * old generation stays untouched until then, and when the rebuild fails.
   * @throws when no projection has that name, and when the rebuild would drop the last copy of a lost log.
   */
  async rebuild(name: string, options: FoldOptions = {}): Promise<Rebuilt> {
    const projection = named(name, this.definitions);
    await this.refuseLostLog([name]);
    const began = performance.now();
    return this.#refolding(projection, options, async (refold) => {
      const differences = await this.#differencesTo(projection, refold, options);
      await refold.serve();
      const seconds = Math.max(1, Math.round(performance.now() - began)) / 1_000;
      return { events: refold.projector.eventsFolded, seconds, differences };
    });
  }

  /**
   * Folds the log afresh, and compares all documents with the stored documents. The stored documents do not change.
   * @throws when no projection has that name, or the stored read model was not folded from this log.
   */
  async verify(name: string, options: FoldOptions = {}): Promise<Verified> {
    const projection = named(name, this.definitions);
    const serving = await this.#serving(projection);
    if (!serving) throw new Error(`${name} was never folded; start the service, or rebuild it`);
    await serving.open(new LogIdentity(this.sources.log), this.sources.log);
    const head = await this.sources.log.head();
    return this.#refolding(projection, options, async (refold) => {
      const compared = await refold.compareWith(serving);
      return { ...compared, lag: await this.#lagBehind(head, serving, options) };
    });
  }

  /** Calls `work` with a new fold, and once more, with another one, when the log creates a document twice. */
  async #refolding<Result>(
    projection: Projection<DomainEvent>,
    options: FoldOptions,
    work: (refold: Refold) => Promise<Result>,
  ): Promise<Result> {
    const once = async (): Promise<Result> => {
      const refold = await Refold.begin(projection, this.generations, this.sources, options);
      try {
        return await work(refold);
      } finally {
        // A generation that cannot be removed now is swept later. The error of `end` must not hide an earlier error.
        await refold.end().catch(() => undefined);
      }
    };
    try {
      return await once();
    } catch (error) {
      if (!(error instanceof RepeatedDocumentError)) throw error;
      this.generations.noteRepeats(projection);
      return once();
    }
  }

  /** Returns the share of the log before a position, from 0 to 1. */
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

  /**
   * Counts the documents that differ between a refold and the generation that serves. Returns an error instead of
   * throwing it, because a rebuild replaces a broken generation. A fault of the fold itself occurs again in
   * `Refold.serve`, which throws the fault.
   */
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
      if (error instanceof RepeatedDocumentError) throw error;
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
