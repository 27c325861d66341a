import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from './connection.js';

/** How long the earlier release's records must stay unchanged. Replicas of that release change them far more often. */
const WATCHED_FOR_MS = 60_000;

const RECORDS = 'generations';
const OTHERS = ['serving_generations', 'generation_numbers'];

/**
 * Drops the read models of the release before this layout, once no replica updates them any more.
 * @param signal ends the watch. @param watchedForMs how long the earlier release's records must stay unchanged.
 */
export async function dropEarlierLayout(
  { db, call }: Connection,
  signal: AbortSignal,
  watchedForMs = WATCHED_FOR_MS,
): Promise<void> {
  const records = db.collection<{ _id: string }>(RECORDS);
  const look = () => call(() => records.find().sort({ _id: 1 }).toArray());
  try {
    for (let before = await look(); before.length > 0;) {
      await delay(watchedForMs, undefined, { ref: false, signal });
      const now = await look();
      if (JSON.stringify(now) === JSON.stringify(before)) break;
      before = now;
    }
    const generations = (await look()).map(({ _id }) => `${_id}.`);
    const collections = await call(() => db.listCollections({}, { nameOnly: true }).toArray());
    for (const { name } of collections) {
      const isEarlier = OTHERS.includes(name) || generations.some((id) => name.startsWith(id));
      if (isEarlier) await call(() => db.dropCollection(name));
    }
    if (collections.some(({ name }) => name === RECORDS)) await call(() => records.drop());
  } catch {
    // Other callers report a server that does not answer. The next start of the service tries again.
  }
}
