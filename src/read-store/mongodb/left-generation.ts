import { setTimeout as delay } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import type { ReadModelDefinition } from '../read-store.js';
import { type GenerationRecord, generationId, type ServingRecord } from './generation-record.js';
import { signOfLife, TURN_ENDS_AFTER_MS } from './turn.js';

/** Whoever waits for the turn asks for it several times in that. */
const TURN_IS_TAKEN_WITHIN_MS = 1_000;
const LOOK_EVERY_MS = 100;

/** A generation by the version that it serves so far. */
export interface LeftGeneration {
  readonly id: string;
  readonly serving: ServingRecord;
}

/**
 * The generation of the latest version that a definition continues, unless somebody keeps it up to date still: a process
 * of that version might not understand what the later one writes to it, and serves it well.
 */
export async function generationLeftTo(
  { name, version, continuesFrom = version }: ReadModelDefinition,
  serving: Collection<ServingRecord>,
  records: Collection<GenerationRecord>,
): Promise<LeftGeneration | undefined> {
  const all = await serving.find({ model: name }).toArray();
  const earlier = all.filter((one) => one.version < version && one.version >= continuesFrom);
  for (const one of earlier.sort((a, b) => b.version - a.version)) {
    const id = generationId(name, one.generation);
    const record = await records.findOne({ _id: id });
    // It may have been begun by a version before the one that it serves.
    if (!record || record.version < continuesFrom) continue;
    return (await isLeft(record, records)) ? { id, serving: one } : undefined;
  }
  return undefined;
}

/**
 * Whether nobody takes or keeps the turn. It takes as long as somebody may have left to show it.
 * @param signal ends the look when it aborts: then it cannot be said.
 */
export async function isLeft(
  record: GenerationRecord,
  records: Collection<GenerationRecord>,
  signal?: AbortSignal,
): Promise<boolean> {
  const life = signOfLife(record);
  const awaitedMs = record.owner === null ? TURN_IS_TAKEN_WITHIN_MS : TURN_ENDS_AFTER_MS;
  const began = performance.now();
  while (performance.now() - began < awaitedMs) {
    if (signal?.aborted === true) return false;
    await delay(LOOK_EVERY_MS);
    const now = await records.findOne({ _id: record._id });
    if (!now || signOfLife(now) !== life) return false;
  }
  return true;
}
