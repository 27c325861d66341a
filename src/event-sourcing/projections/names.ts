import { createHash } from 'node:crypto';
import type { DomainEvent } from '../../kernel/event.js';
import type { Projection } from './projection.js';

/** The names of the log and of the only partition of its accounts. Names of namespaces leave room for more of both. */
const LOG = 'main';
const PARTITION = 'p0';

const GENERATION = /^([a-z0-9-]+)\.([a-z0-9-]+)\.v(\d+)\.g(\d+)\.(p\d+)$/;

/** The name of the namespace that holds the catalog of generations. */
export const CATALOG = `${LOG}.catalog.${PARTITION}`;

/** The parts of the name of a namespace that holds a generation. */
export interface NamedGeneration {
  readonly projection: string;
  readonly version: number;
  readonly generation: number;
}

/** Returns the name of the namespace of a generation. */
export function namespaceOf({ projection, version, generation }: NamedGeneration): string {
  return `${LOG}.${projection}.v${version}.g${generation}.${PARTITION}`;
}

/** Returns the generation that a namespace holds, according to its name; undefined if the namespace holds none. */
export function generationIn(namespace: string): NamedGeneration | undefined {
  const [, log, projection, version, generation, partition] = GENERATION.exec(namespace) ?? [];
  if (log !== LOG || partition !== PARTITION || projection === undefined) return undefined;
  return { projection, version: Number(version), generation: Number(generation) };
}

/** Returns the name of the lease for feeding these projections. Other projections or versions have another lease. */
export function feedLease(projections: readonly Projection<DomainEvent>[]): string {
  const versions = projections.map(({ name, version }) => `${name}.v${version}`).sort();
  const digest = createHash('sha256').update(versions.join()).digest('hex').slice(0, 8);
  return `${LOG}.projections.${digest}.${PARTITION}`;
}

/** Returns the name of the lease for filling a namespace. */
export function fillLease(namespace: string): string {
  return `fill.${namespace}`;
}
