import { createHash } from 'node:crypto';
import type { DomainEvent } from '../kernel/event.js';
import type { Projection } from './projection.js';

/** The log that is projected, and the only partition of its accounts. Names have room for others. */
const LOG = 'main';
const PARTITION = 'p0';

const GENERATION = /^([a-z0-9-]+)\.([a-z0-9-]+)\.v(\d+)\.g(\d+)\.(p\d+)$/;

/** The namespace of the catalog of generations. */
export const CATALOG = `${LOG}.catalog.${PARTITION}`;

/** A generation as the name of its namespace says it. */
export interface NamedGeneration {
  readonly projection: string;
  readonly version: number;
  readonly generation: number;
}

/** The namespace of a generation. */
export function namespaceOf({ projection, version, generation }: NamedGeneration): string {
  return `${LOG}.${projection}.v${version}.g${generation}.${PARTITION}`;
}

/** The generation that a namespace holds; undefined for a namespace of anything else. */
export function generationIn(namespace: string): NamedGeneration | undefined {
  const [, log, projection, version, generation, partition] = GENERATION.exec(namespace) ?? [];
  if (log !== LOG || partition !== PARTITION || projection === undefined) return undefined;
  return { projection, version: Number(version), generation: Number(generation) };
}

/** The lease of whoever feeds these projections. A release that folds other versions has another one. */
export function feedLease(projections: readonly Projection<DomainEvent>[]): string {
  const versions = projections.map(({ name, version }) => `${name}.v${version}`).sort();
  const digest = createHash('sha256').update(versions.join()).digest('hex').slice(0, 8);
  return `${LOG}.projections.${digest}.${PARTITION}`;
}

/** The lease of whoever fills a namespace. */
export function fillLease(namespace: string): string {
  return `fill.${namespace}`;
}
