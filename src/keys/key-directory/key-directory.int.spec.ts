import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AWAY, HOME } from '../../../test/histories/keys.js';
import { type Chosen, KeyShelf } from '../../../test/specs/key-shelf.js';
import { BLOCK_SIZE, CHUNK_SIZE } from '../../projections/rank-counts.js';
import type { KeyFilter } from './key-pages.js';

const FILTERS: readonly KeyFilter[] = [
  {},
  { workspace_id: HOME },
  { workspace_id: AWAY },
  { creator_user_id: 'bob' },
  { external_user: 'eve' },
  { name: 'odd' },
  { name: 'renamed' },
  { name: 'odd', external_user: 'eve' },
  { workspace_id: AWAY, name: 'renamed' },
  { workspace_id: HOME, creator_user_id: 'bob', name: 'renamed' },
  { workspace_id: HOME, name: 'none' },
];

/** Each of these filters matches keys in more blocks than the document of a scope counts. */
const LARGE_FILTERS: readonly KeyFilter[] = [
  {},
  { workspace_id: AWAY },
  { creator_user_id: 'bob' },
  { name: 'odd' },
];

/** Keys in two workspaces, of three creators and four external users, with two names. */
function chosen(number: number): ReturnType<Chosen> {
  return {
    workspace: number % 3 === 0 ? AWAY : HOME,
    creator: ['ada', 'bob', 'cleo'][number % 3] ?? '',
    user: number % 5 === 0 ? null : (['eve', 'fay', 'gus', 'hal'][number % 4] ?? ''),
    name: number % 2 === 0 ? 'even' : 'odd',
  };
}

async function withShelf(work: (shelf: KeyShelf) => Promise<void>): Promise<void> {
  const shelf = new KeyShelf();
  try {
    await work(shelf);
  } finally {
    await shelf.close();
  }
}

/** Compares a page of every list at each of some offsets. */
async function expectRight(
  shelf: KeyShelf,
  offsets: readonly number[],
  limit: number,
  filters: readonly KeyFilter[],
): Promise<void> {
  for (const filter of filters) {
    for (const includeDisabled of [true, false]) {
      for (const offset of offsets) {
        const { found, right } = await shelf.pages(filter, includeDisabled, offset, limit);
        const asked = { filter, includeDisabled, offset };
        expect({ ...asked, ...found }).toEqual({ ...asked, ...right });
      }
    }
  }
}

const DEEDS = [
  'create',
  'disable',
  'enable',
  'delete',
  'move',
  'move back',
  'rename',
  'settle',
] as const;

/** A change of a run of adjacent keys. */
interface Step {
  readonly what: (typeof DEEDS)[number];
  readonly from: number;
  readonly count: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(...DEEDS),
  from: fc.nat(2 * BLOCK_SIZE),
  count: fc.integer({ min: 1, max: 200 }),
});

async function take(shelf: KeyShelf, { what, from, count }: Step): Promise<void> {
  const inRun = (_: unknown, index: number): boolean => index >= from && index < from + count;
  switch (what) {
    case 'create':
      shelf.create(count, chosen);
      return;
    case 'disable':
    case 'enable':
      shelf.change(inRun, (key) => ({ ...key, disabled: what === 'disable' }));
      return;
    case 'delete':
      shelf.change(inRun, () => null);
      return;
    case 'move':
    case 'move back':
      shelf.change(inRun, (key) => ({ ...key, workspace: what === 'move' ? AWAY : HOME }));
      return;
    case 'rename':
      shelf.change(inRun, (key) => ({ ...key, name: 'renamed' }));
      return;
    case 'settle':
      await shelf.settle();
  }
}

describe('the lists of the key directory', () => {
  it('are newest first and exactly what a plain list holds, whatever happened to the keys', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(fc.nat(3 * BLOCK_SIZE), { minLength: 1, maxLength: 2 }),
        fc.shuffledSubarray([...FILTERS], { minLength: 4, maxLength: 4 }),
        (steps, offsets, filters) =>
          withShelf(async (shelf) => {
            shelf.create(BLOCK_SIZE + 40, chosen);
            for (const one of steps) await take(shelf, one);
            await shelf.settle();
            await expectRight(shelf, [0, ...offsets], 100, filters);
          }),
      ),
      { numRuns: 40 },
    );
  });

  it(
    'are so beyond a chunk, with half of the keys disabled or deleted',
    () =>
      withShelf(async (shelf) => {
        for (let made = 0; made < CHUNK_SIZE + 2_000; made += 2_816) {
          shelf.create(2_816, chosen);
          await shelf.settle();
        }
        shelf.change(
          (_, index) => index % 4 === 0,
          (key) => ({ ...key, disabled: true }),
        );
        await shelf.settle();
        shelf.change(
          (_, index) => index % 4 === 1,
          () => null,
        );
        await shelf.settle();
        const total = shelf.keys.length;
        const edge = total - CHUNK_SIZE * 0.75;
        const offsets = [0, edge - 2, edge, 30_000, total - 2, total];
        await expectRight(shelf, offsets, 3, LARGE_FILTERS);
      }),
    60_000,
  );

  it('find by several filters while one of them has 1,000 keys at most, and say so beyond', () =>
    withShelf(async (shelf) => {
      const name = (number: number): string => (number < 1_001 ? 'one more' : 'as many');
      shelf.create(2_001, (number) => ({ workspace: HOME, name: name(number) }));
      await shelf.settle();
      const page = (filter: KeyFilter, includeDisabled: boolean) =>
        shelf.pages({ creator_user_id: 'ada', ...filter }, includeDisabled, 990, 100);
      const { found, right } = await page({ name: 'as many' }, true);
      expect(found).toEqual(right);
      expect(found).toMatchObject({ total: 1_000, hashes: { length: 10 } });
      await expect(page({ name: 'one more', workspace_id: HOME }, true)).rejects.toMatchObject({
        code: 'too-many-to-count',
        details: {
          limit: 1_000,
          counts: { name: 1_001, workspace_id: 2_001, creator_user_id: 2_001 },
        },
      });
      // The directory reads no key that the list leaves out.
      shelf.change(
        (_, index) => index === 0,
        (key) => ({ ...key, disabled: true }),
      );
      await shelf.settle();
      await expect(page({ name: 'one more' }, true)).rejects.toThrow('too-many-to-count');
      expect((await page({ name: 'one more' }, false)).found.total).toBe(1_000);
    }));

  it('count the keys of a workspace, those that are disabled too', () =>
    withShelf(async (shelf) => {
      expect(await shelf.count(HOME)).toBe(0);
      shelf.create(5, () => ({ workspace: HOME }));
      shelf.change(
        (_, index) => index === 0,
        () => null,
      );
      shelf.change(
        (_, index) => index === 0,
        (key) => ({ ...key, disabled: true }),
      );
      shelf.change(
        (_, index) => index === 1,
        (key) => ({ ...key, workspace: AWAY }),
      );
      await shelf.settle();
      expect(await shelf.count(HOME)).toBe(3);
      expect(await shelf.count(AWAY)).toBe(1);
    }));
});
