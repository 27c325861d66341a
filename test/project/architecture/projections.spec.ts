import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import {
  type EndUserCollections,
  endUserDirectory,
} from '../../../src/features/end-users/end-user-directory/end-user-directory.projection.js';
import { LEDGERS } from '../../../src/host/ledgers/ledgers.js';
import { PROJECTIONS } from '../../support/declared.js';
import type { DomainEvent } from '../../../src/kernel/event.js';
import { ENGINE_COLLECTIONS } from '../../../src/event-sourcing/projections/parked-accounts.js';
import type { Documents, Projection } from '../../../src/event-sourcing/projections/projection.js';
import { readSideOf } from '../../../src/event-sourcing/projections/read-side.js';
import { viewOf } from '../../../src/event-sourcing/read-store/read-store.js';
import { SqliteReadStore } from '../../../src/event-sourcing/read-store/sqlite/sqlite-read-store.js';
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

  it('name each collection differently, also of different logs, because no prefix tells them apart', () => {
    const collections = [...PROJECTIONS.map((one) => one.collections), ENGINE_COLLECTIONS];
    const names = collections.flatMap((each) => Object.keys(each));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('are read by the names that they declare; another one does not compile, and finds nothing', async () => {
    const store = new SqliteReadStore(':memory:');
    const namespace = store.namespace(
      'management.00000000.g1',
      LEDGERS.management.readSide.collections,
    );
    const reading = namespace.read((all) => {
      const view = viewOf(all, endUserDirectory.collections);
      // @ts-expect-error The collection is called end_users.
      return view.get('end_user', 'a');
    });
    await expect(reading).rejects.toThrow('there is no collection end_user');
    await store.close();
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
    ['other collections', { collections: { ...collections, more: { indexes: {} } } }],
  ];

  it('may make documents of other events, because each of the two has generations of its own', async () => {
    const fewer = { ...declared, events: events.slice(0, 2) };
    const recorded = await recordOfProjections([declared]);
    expect(unraised(recorded, await recordOfProjections([fewer]))).toEqual([]);
    expect(readSideOf('any', [fewer]).digest).not.toBe(readSideOf('any', [declared]).digest);
  });

  it.each(CHANGES)(
    'may make %s of the same events in the next version alone',
    async (_, change) => {
      const recorded = await recordOfProjections([declared]);
      const changed = { ...declared, ...change };
      const problem = expect.stringContaining('end-user-directory does not make what it made in');
      expect(unraised(recorded, await recordOfProjections([changed]))).toEqual([problem]);
      const raised = { ...changed, version: declared.version + 1 };
      expect(unraised(recorded, await recordOfProjections([raised]))).toEqual([]);
    },
  );
});

function mark(documents: Documents<EndUserCollections>): void {
  documents.set('organizations', 'marked', { registered: 0 });
  // @ts-expect-error The documents of this collection are others.
  documents.set('organizations', 'wrong', { ordinal: 0 });
  // @ts-expect-error The collection is called organizations.
  documents.set('organization', 'wrong', { registered: 0 });
}

function isProjection(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'evolve' in value && 'collections' in value;
}
