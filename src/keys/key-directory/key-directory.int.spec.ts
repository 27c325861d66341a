import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AWAY, HOME } from '../../../test/histories/keys.js';
import { KeyShelf } from '../../../test/specs/key-shelf.js';
import { BLOCK_SIZE, CHUNK_SIZE } from '../../projections/rank-counts.js';

const SCOPES = [null, HOME, AWAY];

async function withShelf(work: (shelf: KeyShelf) => Promise<void>): Promise<void> {
  const shelf = new KeyShelf();
  try {
    await work(shelf);
  } finally {
    await shelf.close();
  }
}

/** Compares a page of every list from each of some offsets. */
async function expectRight(shelf: KeyShelf, offsets: readonly number[], limit = 3): Promise<void> {
  for (const workspace of SCOPES) {
    for (const includeDisabled of [true, false]) {
      for (const offset of offsets) {
        const { found, right } = await shelf.pages(workspace, includeDisabled, offset, limit);
        const asked = { workspace, includeDisabled, offset };
        expect({ ...asked, ...found }).toEqual({ ...asked, ...right });
      }
    }
  }
}

const DEEDS = ['create', 'disable', 'enable', 'delete', 'move', 'move back', 'settle'] as const;

/** Something done to a run of keys that stand together. */
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
      shelf.create(count, (number) => (number % 3 === 0 ? AWAY : HOME));
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
    case 'settle':
      await shelf.settle();
  }
}

describe('the lists of the key directory', () => {
  it('are newest first and exactly what a plain list holds, whatever happened to the keys', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(fc.nat(3 * BLOCK_SIZE), { minLength: 1, maxLength: 4 }),
        (steps, offsets) =>
          withShelf(async (shelf) => {
            shelf.create(BLOCK_SIZE + 40, (number) => (number % 2 === 0 ? HOME : AWAY));
            for (const one of steps) await take(shelf, one);
            await shelf.settle();
            await expectRight(shelf, [0, ...offsets], 100);
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
          shelf.create(2_816, (number) => (number % 5 === 0 ? AWAY : HOME));
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
        await expectRight(shelf, [0, 1_000, edge - 2, edge, edge + 2, 30_000, total - 2, total]);
      }),
    60_000,
  );

  it('count the keys of a workspace, those that are disabled too', () =>
    withShelf(async (shelf) => {
      expect(await shelf.directory.count(HOME)).toBe(0);
      shelf.create(5, () => HOME);
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
      expect(await shelf.directory.count(HOME)).toBe(3);
      expect(await shelf.directory.count(AWAY)).toBe(1);
    }));
});
