import { pause } from '../waiting/pause.js';
import { type Position, START } from '../../kernel/position.js';
import type { Namespace, NamespaceState, ReadStore } from '../read-store/read-store.js';
import type { ReadSide } from './read-side.js';

/** How long readers may still use a generation that was replaced. */
const REPLACED_FOR_MS = 10_000;
/** How long a filling makes no progress, or another digest has no leader, until it is dropped. */
const ABANDONED_FOR_MS = 10 * 60_000;
/** How often the lease of another digest is asked for. */
const ASK_OTHERS_EVERY_MS = 60_000;
/** A lease whose progress stands still for this time is free. */
const SWEEPER_LEASE_MS = 10_000;
const SWEEPER = 'sweeper';

interface Generation extends NamespaceState {
  readonly digest: string;
  readonly generation: number;
}

/** The generations of a read side, as the store had them at one moment. */
export interface Look {
  /** The generation that serves; null while none serves. */
  readonly serving: number | null;
  /** The checkpoint of the generation that serves; START while none serves. */
  readonly checkpoint: Position;
  /** The highest number that any generation has or was seen to have; 0 when there was none. */
  readonly newest: number;
  /** All generations of the read side, also those of other digests. */
  readonly all: readonly Generation[];
}

/**
 * The generations of a read side. A namespace is a generation of a digest, and says whether it
 * serves. The highest number that serves is read. A rebuild fills the next number beside it.
 */
export class Generations {
  /** The time since which each unused generation is unchanged, by the name of its namespace. */
  readonly #unused = new Map<string, { readonly as: string; readonly sinceMs: number }>();
  /** The other digests that had a leader when their leases were last asked for. */
  readonly #led = new Set<string>();
  #askOthersAt = 0;
  #newest = 0;

  constructor(
    private readonly readSide: ReadSide,
    private readonly store: ReadStore,
  ) {}

  /** The name of the lease of the process that folds this digest. */
  get lease(): string {
    return leaseOf(this.readSide.name, this.readSide.digest);
  }

  async look(): Promise<Look> {
    const all = (await this.store.namespaces()).flatMap((state) => {
      const found = generationIn(state.name);
      return found?.readSide === this.readSide.name ? [{ ...state, ...found }] : [];
    });
    const ours = all.filter(({ digest }) => digest === this.readSide.digest);
    const [serving] = ours
      .filter(({ serves }) => serves)
      .sort((a, b) => b.generation - a.generation);
    // A dropped number is not given again, so that nobody takes new documents for dropped ones.
    this.#newest = Math.max(this.#newest, ...ours.map(({ generation }) => generation));
    return {
      serving: serving?.generation ?? null,
      checkpoint: serving?.checkpoint ?? START,
      newest: this.#newest,
      all,
    };
  }

  /**
   * Returns the newest generation that somebody began to fill and nobody fills any more: it stands
   * still while this call waits. Undefined when there is none.
   */
  async findAbandoned(forMs: number, signal: AbortSignal): Promise<number | undefined> {
    const before = this.#fillings(await this.look());
    if (before.length === 0) return undefined;
    await pause(forMs, signal);
    const standsStill = ({ generation, checkpoint }: Generation): boolean =>
      before.some((one) => one.generation === generation && one.checkpoint === checkpoint);
    return this.#fillings(await this.look()).find(standsStill)?.generation;
  }

  /** Returns the generations of this digest that somebody began to fill, the newest first. */
  #fillings({ all }: Look): Generation[] {
    return all
      .filter(({ digest, serves }) => digest === this.readSide.digest && !serves)
      .filter(({ checkpoint, isLocked, isTorn }) => checkpoint !== START && !isLocked && !isTorn)
      .sort((a, b) => b.generation - a.generation);
  }

  /** Returns the latest position that a generation of the read side, of any digest, has reached. */
  async latestPosition(): Promise<Position> {
    const { all } = await this.look();
    return all.reduce(
      (latest, { checkpoint }) => (checkpoint > latest ? checkpoint : latest),
      START,
    );
  }

  /** Opens a generation's namespace. @param isFilled whether it is being filled, not read yet. */
  open(generation: number, isFilled = false): Namespace {
    return this.store.namespace(this.nameOf(generation), this.readSide.collections, { isFilled });
  }

  nameOf(generation: number): string {
    return namespaceOf(this.readSide, generation);
  }

  /** Lets a filled generation serve. Its number counts as seen, as readers may have it soon. */
  async serve(generation: number, namespace: Namespace): Promise<void> {
    await namespace.serve();
    this.#newest = Math.max(this.#newest, generation);
  }

  /** Drops unused generations: replaced ones, abandoned fillings, and those of other digests. */
  async sweep({ serving, all }: Look): Promise<void> {
    if (serving === null) return;
    await this.#askOthers(all);
    for (const { name, digest, generation, checkpoint, isLocked } of all) {
      const isOurs = digest === this.readSide.digest;
      if (isLocked || this.#led.has(digest) || (isOurs && generation === serving)) continue;
      const isReplaced = isOurs && generation < serving;
      const unusedMs = this.#unusedMs(name, isOurs ? checkpoint : 'without a leader');
      if (unusedMs >= (isReplaced ? REPLACED_FOR_MS : ABANDONED_FOR_MS))
        await this.store.drop(name);
    }
  }

  /** Finds out which other digests have a leader, by asking for their leases now and then. */
  async #askOthers(all: readonly Generation[]): Promise<void> {
    if (performance.now() < this.#askOthersAt) return;
    this.#askOthersAt = performance.now() + ASK_OTHERS_EVERY_MS;
    const others = all.filter(({ digest }) => digest !== this.readSide.digest);
    for (const digest of new Set(others.map((other) => other.digest))) {
      const lease = leaseOf(this.readSide.name, digest);
      const { isHeld } = await this.store.lease(lease, SWEEPER, '', SWEEPER_LEASE_MS);
      if (isHeld) {
        this.#led.delete(digest);
        await this.store.release(lease, SWEEPER);
      } else {
        this.#led.add(digest);
        for (const { name } of others.filter((other) => other.digest === digest))
          this.#unused.delete(name);
      }
    }
  }

  #unusedMs(name: string, as: string): number {
    const now = performance.now();
    const before = this.#unused.get(name);
    if (before?.as === as) return now - before.sinceMs;
    this.#unused.set(name, { as, sinceMs: now });
    return 0;
  }
}

export function namespaceOf(
  { name, digest }: Pick<ReadSide, 'name' | 'digest'>,
  generation: number,
): string {
  return `${name}.${digest}.g${generation}`;
}

const NAMESPACE_NAME = /^([a-z-]+)\.([0-9a-f]{8})\.g(\d+)$/;

/** Returns read side, digest and generation of a namespace's name; undefined for another name. */
export function generationIn(
  namespace: string,
): { readSide: string; digest: string; generation: number } | undefined {
  const [, readSide, digest, number] = NAMESPACE_NAME.exec(namespace) ?? [];
  if (readSide === undefined || digest === undefined) return undefined;
  return { readSide, digest, generation: Number(number) };
}

function leaseOf(readSide: string, digest: string): string {
  return `${readSide}.${digest}.fold`;
}
