import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { endUserDirectory } from '../../../src/features/end-users/end-user-directory/end-user-directory.projection.js';
import { PROJECTIONS } from '../../../src/host/assembly/events-and-projections.js';
import type { DomainEvent } from '../../../src/kernel/event.js';
import type { Projection } from '../../../src/event-sourcing/projections/projection.js';
import { recordedProjections, recordOfProjections, unraised } from './projection-record.js';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.projection.ts'),
);

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

  it('make of the golden events what was recorded for their version (npm run events records a raised one)', async () => {
    const current = await recordOfProjections();
    expect(unraised(recordedProjections(), current)).toEqual([]);
    expect(current).toEqual(recordedProjections());
  });

  const declared: Projection<DomainEvent> = endUserDirectory;
  const { collections, events } = declared;
  const CHANGES: readonly (readonly [string, Partial<Projection<DomainEvent>>])[] = [
    [
      'other documents',
      {
        evolve: (documents, event) => {
          declared.evolve(documents, event);
          mark(documents);
        },
      },
    ],
    ['documents of fewer events', { events: events.slice(0, 2) }],
    ['other collections', { collections: { ...collections, more: { indexes: {} } } }],
  ];

  it.each(CHANGES)('may make %s in the next version alone', async (_, change) => {
    const recorded = await recordOfProjections([declared]);
    const changed = { ...declared, ...change };
    const problem = expect.stringContaining('end-user-directory does not make what it made in');
    expect(unraised(recorded, await recordOfProjections([changed]))).toEqual([problem]);
    const raised = { ...changed, version: declared.version + 1 };
    expect(unraised(recorded, await recordOfProjections([raised]))).toEqual([]);
  });
});

function mark(documents: Parameters<Projection<DomainEvent>['evolve']>[0]): void {
  documents.set('organizations', 'marked', { registered: 0 });
}

function isProjection(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'evolve' in value && 'collections' in value;
}
