import { type Position, START } from '../kernel/position.js';
import type { ReadStore } from '../read-store/read-store.js';
import { generationIn } from './names.js';
import { ENGINE_COLLECTIONS, logIn } from './stored-projection.js';

/** How far read models have folded a log. */
export interface SeenLog {
  readonly position: Position;
  /** The identity of the log, made from its first event (`LogIdentity`). */
  readonly identity: string;
}

/**
 * Finds the read model that has folded farthest in a store. Changes nothing.
 * @returns the position of this read model and the identity of its log; null when no read model has folded an event.
 */
export async function seenLog(store: ReadStore): Promise<SeenLog | null> {
  let farthest: { readonly name: string; readonly position: Position } | undefined;
  for (const { name, checkpoint } of await store.namespaces()) {
    if (generationIn(name) === undefined || checkpoint === START) continue;
    if (!farthest || checkpoint > farthest.position) farthest = { name, position: checkpoint };
  }
  if (!farthest) return null;
  const identity = await store.namespace(farthest.name, ENGINE_COLLECTIONS).read(logIn);
  return { position: farthest.position, identity: identity ?? '' };
}
