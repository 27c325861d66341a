import { setTimeout as delay } from 'node:timers/promises';
import type { Position } from '../kernel/position.js';
import type { ReadModel } from '../read-store/read-store.js';
import type { Progress } from './progress.js';

const WHILE_AWAITED_EVERY_MS = 5;
const OTHERWISE_EVERY_MS = 100;

/**
 * The checkpoint of a read model that another process keeps up to date, again and again until `signal` aborts:
 * closely while somebody waits for it to go on.
 */
export async function* checkpointsOf(
  model: ReadModel,
  progress: Progress,
  signal: AbortSignal,
): AsyncIterable<Position> {
  while (!signal.aborted) {
    yield await model.checkpoint();
    await progress.awaited(OTHERWISE_EVERY_MS);
    await delay(WHILE_AWAITED_EVERY_MS);
  }
}
