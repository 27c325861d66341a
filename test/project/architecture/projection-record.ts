import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { EVENTS, PROJECTIONS } from '../../support/declared.js';
import type { DomainEvent } from '../../../src/kernel/event.js';
import { fold } from '../../../src/event-sourcing/projections/fold.js';
import type { Projection } from '../../../src/event-sourcing/projections/projection.js';
import { goldenData, goldenFileOf } from '../golden-events/golden-files.js';
import { DocumentTable, recordedInOrder } from '../../support/specs/document-table.js';

/**
 * The file that records what each projection makes of the golden events. `npm run events` writes
 * it.
 */
export const PROJECTIONS_FILE = 'test/project/architecture/projections.json';

/**
 * The version of each projection, the SHA-256 of the names of its events, and that of its
 * collections and of the documents it makes of each golden event.
 */
export type ProjectionRecord = Readonly<
  Record<string, { readonly version: number; readonly events: string; readonly digest: string }>
>;

export function recordedProjections(): ProjectionRecord {
  return JSON.parse(readFileSync(PROJECTIONS_FILE, 'utf8')) as ProjectionRecord;
}

export async function recordOfProjections(
  projections: readonly Projection<DomainEvent>[] = PROJECTIONS,
): Promise<ProjectionRecord> {
  const entries = projections.map(async (one) => {
    const names = one.events.map(({ type, version }) => `${type}.v${version}`).sort();
    const record = {
      version: one.version,
      events: sha256(names.join()),
      digest: await digestOf(one),
    };
    return [one.name, record] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * Gives the projections that make something else than was recorded of the same events, and still
 * have the recorded version or a lower one.
 */
export function unraised(recorded: ProjectionRecord, current: ProjectionRecord): string[] {
  return Object.entries(current).flatMap(([name, { version, events, digest }]) => {
    const known = recorded[name];
    if (!known || known.digest === digest || known.events !== events) return [];
    if (known.version < version) return [];
    return `${name} does not make what it made in version ${known.version}: raise its version`;
  });
}

/**
 * @throws when an event changes nothing, because a change of the fold of this event would not show.
 */
async function digestOf(projection: Projection<DomainEvent>): Promise<string> {
  const folded = new Set(projection.events.map(({ type }) => type));
  const golden = EVENTS.filter(({ type }) => folded.has(type)).map((definition) => ({
    type: definition.type,
    data: goldenData(goldenFileOf(definition)),
  }));
  const table = new DocumentTable();
  const steps: unknown[] = [];
  for (const event of recordedInOrder(golden)) {
    const changes = await fold(projection, [event], table);
    if (changes.length === 0) throw new Error(`${projection.name} makes nothing of ${event.type}`);
    table.keep(changes);
    steps.push([event.type, changes]);
  }
  const { collections } = projection;
  const text = JSON.stringify({ collections, steps }, inOrder);
  return sha256(text);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Sorts the fields of objects, so that their order does not matter. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
