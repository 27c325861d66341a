import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { PROJECTIONS } from '../../src/events-and-projections.js';

type Declared = (typeof PROJECTIONS)[number];

const RECORD = 'test/architecture/projections.json';
const recorded = JSON.parse(readFileSync(RECORD, 'utf8')) as Record<string, unknown>;
const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.projection.ts'),
);

/** The parts of a declaration that the stored documents depend on. */
function declarationOf({ version, collections, events }: Declared): unknown {
  const folds = events.map((event) => `${event.type}@${event.version}`);
  return JSON.parse(JSON.stringify({ version, collections, folds }));
}

describe('projections', () => {
  it('are all kept up to date, and stand in a directory of reads, which commands may not import', async () => {
    expect(files.length).toBeGreaterThan(0);
    const found: unknown[] = [];
    for (const file of files) {
      expect(file).toMatch(/-directory\/[\w-]+\.projection\.ts$/);
      const module = (await import(pathToFileURL(`src/${file}`).href)) as Record<string, unknown>;
      found.push(...Object.values(module).filter(isProjection));
    }
    expect(new Set(found)).toEqual(new Set(PROJECTIONS));
  });

  it.each(PROJECTIONS.map((projection) => [projection.name, projection] as const))(
    '%s folds and keeps what was recorded for its version; with anything else it needs the next one (CONTRIBUTING.md)',
    (name, projection) => {
      expect(declarationOf(projection)).toEqual(recorded[name]);
    },
  );

  it('are recorded while they are declared', () => {
    expect(Object.keys(recorded)).toEqual(PROJECTIONS.map(({ name }) => name));
  });
});

function isProjection(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'evolve' in value && 'collections' in value;
}
