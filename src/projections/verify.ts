import { setTimeout as delay } from 'node:timers/promises';
import type { DomainEvent } from '../kernel/event.js';
import type { Position } from '../kernel/position.js';
import type { FoldOptions } from './catch-up.js';
import type { Comparison } from './compare.js';
import { compareAfresh, projectorInto, type Sources } from './fold-afresh.js';
import { type Projection, typesOf } from './projection.js';

/** How long who keeps the read model up to date may take for what was in the log before. */
const UP_TO_DATE_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 50;

export interface Verified extends Comparison {
  /** Events of the projection that the stored read model still lacks, though they were in the log before. */
  readonly lag: number;
}

/**
 * Folds the log afresh and compares every document with the stored one, as far as that is. Changes nothing.
 * @throws when the stored read model is not of this log.
 */
export async function verify(
  projection: Projection<DomainEvent>,
  sources: Sources,
  options: FoldOptions = {},
): Promise<Verified> {
  const checkpoint = await sources.store.readModel(projection).checkpoint();
  if (!(await sources.log.holds(checkpoint))) {
    throw new Error(
      `the checkpoint ${checkpoint} of ${projection.name} is not in the log; rebuild it`,
    );
  }
  const head = await sources.log.head();
  const filling = await sources.store.fill(projection);
  try {
    const projector = projectorInto(filling.model, projection, sources);
    const compared = await compareAfresh(projector, sources, options);
    return { ...compared, lag: await lagBehind(head, projection, sources, options) };
  } finally {
    // What cannot be given up now is swept later, and must not hide what was found.
    await filling.discard().catch(() => undefined);
  }
}

async function lagBehind(
  head: Position,
  projection: Projection<DomainEvent>,
  { log, store }: Sources,
  { signal }: FoldOptions,
): Promise<number> {
  const types = typesOf(projection);
  const deadline = performance.now() + UP_TO_DATE_WITHIN_MS;
  for (;;) {
    const checkpoint = await store.readModel(projection).checkpoint();
    if (checkpoint >= head) return 0;
    const lag = await log.countAfter(checkpoint, { types });
    if (lag === 0 || performance.now() > deadline) return lag;
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}
