import { setTimeout as delay } from 'node:timers/promises';
import { Backoff } from '../kernel/backoff.js';
import type { Sources } from './fold-afresh.js';
import type { Projector } from './projector.js';
import { type Rebuilt, rebuild } from './rebuild.js';

const LOOK_AGAIN_AFTER_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;

/** What is done about a projection that went on with what an earlier version left. */
export type RebuildNews = { readonly projection: string } & (
  | { readonly state: 'begun'; readonly from: number; readonly to: number }
  | ({ readonly state: 'done' } & Rebuilt)
  | { readonly state: 'failed'; readonly error: unknown }
);

/** Rebuilds, while the service goes on, what it serves of earlier versions. */
export class OutdatedProjections {
  readonly #outdated: Set<Projector>;

  constructor(
    projectors: readonly Projector[],
    private readonly sources: Sources,
    private readonly tell: (news: RebuildNews) => void,
  ) {
    this.#outdated = new Set(
      projectors.filter(({ projection }) => projection.continuesFrom !== undefined),
    );
  }

  /**
   * Rebuilds one after another, until every projector has gone over to a generation of its own version, or `signal`
   * aborts. A failure is told, changes nothing, and is tried again.
   */
  async rebuild(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(LOOK_AGAIN_AFTER_MS, LONGEST_BACKOFF_MS);
    while (this.#outdated.size > 0 && !signal.aborted) {
      const failed = await this.#round(signal);
      await delay(backoff.next(), undefined, { signal }).catch(() => undefined);
      if (!failed) backoff.reset();
    }
  }

  /** @returns whether one could not be rebuilt, or it is not known whether it must be. */
  async #round(signal: AbortSignal): Promise<boolean> {
    let failed = false;
    for (const projector of this.#outdated) {
      try {
        if (!(await this.#isToBeRenewed(projector))) continue;
      } catch {
        // Of a store that does not answer the projector tells.
        failed = true;
        continue;
      }
      try {
        await this.#renew(projector, signal);
      } catch (error) {
        if (signal.aborted) return false;
        this.tell({ projection: projector.projection.name, state: 'failed', error });
        failed = true;
      }
    }
    return failed;
  }

  async #isToBeRenewed(projector: Projector): Promise<boolean> {
    if (await isOutdated(projector)) return this.#isOurs(projector);
    this.#outdated.delete(projector);
    return false;
  }

  async #renew({ projection, model }: Projector, signal: AbortSignal): Promise<void> {
    const { name, version } = projection;
    this.tell({ projection: name, state: 'begun', from: model.version, to: version });
    const rebuilt = await rebuild(projection, this.sources, { signal, compare: false });
    this.tell({ projection: name, state: 'done', ...rebuilt });
  }

  /** Whether what serves is not delayed by it, no generation is there to go over to, and nobody else makes one. */
  async #isOurs({ state, model, projection }: Projector): Promise<boolean> {
    if (state !== 'live' && state !== 'stuck') return false;
    // In this order: what is filled no more may have come to serve.
    if (await this.sources.store.isFilling(projection)) return false;
    if (await model.isSuperseded()) return false;
    return model.takeTurn();
  }
}

async function isOutdated({ model, projection }: Projector): Promise<boolean> {
  // A store may open a read model no sooner than something is asked of it.
  await model.isSuperseded();
  return model.version < projection.version;
}
