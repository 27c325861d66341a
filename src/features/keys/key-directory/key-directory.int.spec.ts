import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { AWAY, HOME } from '../../../../test/support/histories/keys.js';
import { type Chosen, type KeyList, KeyShelf } from '../../../../test/support/specs/key-shelf.js';
import { BLOCK_SIZE } from '../../../event-sourcing/projections/rank-counts.js';
import { ReadYourWrites } from '../../../event-sourcing/projections/read-your-writes.js';
import { Unavailable } from '../../../kernel/errors.js';

const BOB = { field: 'creator_user_id', value: 'bob' } as const;
const SOON = { field: 'expires_at', from: undefined, before: '2027-01-04' } as const;
const EVE = { field: 'external_user', value: 'eve' } as const;

const LISTS: readonly KeyList[] = [
  {},
  { workspaceId: HOME },
  { workspaceId: AWAY },
  { filter: BOB },
  { filter: EVE },
  { workspaceId: HOME, filter: BOB },
  { workspaceId: AWAY, filter: EVE },
  { filter: SOON },
  { filter: { ...SOON, from: '2027-01-02' } },
  { filter: { ...SOON, from: '2027-01-04' } },
  { workspaceId: HOME, filter: SOON },
  { workspaceId: HOME, filter: { ...BOB, value: 'nobody' } },
];

/** Keys in two workspaces, of three creators and four external users, with six expiries or none. */
function chosen(number: number): ReturnType<Chosen> {
  return {
    workspace: number % 3 === 0 ? AWAY : HOME,
    creator: ['ada', 'bob', 'cleo'][number % 3] ?? '',
    user: number % 5 === 0 ? null : (['eve', 'fay', 'gus', 'hal'][number % 4] ?? ''),
    expires: number % 7 === 0 ? null : `2027-01-0${number % 7}`,
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
  lists: readonly KeyList[],
): Promise<void> {
  for (const list of lists) {
    for (const includeDisabled of [true, false]) {
      for (const offset of offsets) {
        const { found, right } = await shelf.pages(list, includeDisabled, offset, limit);
        const asked = { list, includeDisabled, offset };
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
  'expire',
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
    case 'expire':
      shelf.change(inRun, (key, at) => ({ ...key, expires: at % 2 === 0 ? null : '2027-01-02' }));
      return;
    case 'settle':
      await shelf.settle();
  }
}

describe('the lists of the key directory', () => {
  it('are in order and exactly what a plain list holds, whatever happened to the keys', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(fc.nat(3 * BLOCK_SIZE), { minLength: 1, maxLength: 2 }),
        fc.shuffledSubarray([...LISTS], { minLength: 4, maxLength: 4 }),
        (steps, offsets, lists) =>
          withShelf(async (shelf) => {
            shelf.create(BLOCK_SIZE + 40, chosen);
            for (const one of steps) await take(shelf, one);
            await shelf.settle();
            await expectRight(shelf, [0, ...offsets], 100, lists);
          }),
      ),
      { numRuns: 20 },
    );
  });

  it(
    'are so over several blocks, with half of the keys disabled or deleted',
    () =>
      withShelf(async (shelf) => {
        for (let made = 0; made < 7 * BLOCK_SIZE; made += 2_816) {
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
        const edge = total - BLOCK_SIZE * 0.75;
        const offsets = [0, edge - 2, edge, 3_000, total - 2, total];
        await expectRight(shelf, offsets, 3, LISTS.slice(0, 4));
      }),
    60_000,
  );

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

  it('say no workspaces while they are out of date, as a key may have been deleted', () =>
    withShelf(async (shelf) => {
      shelf.create(1, () => ({ workspace: HOME }));
      await shelf.settle();
      const asked = (): Promise<unknown> => shelf.directory.keysOf('account-1', ['key-0', 'key-1']);
      const key = expect.objectContaining({ hash: 'key-0', workspace_id: HOME }) as unknown;
      expect(await asked()).toEqual(new Map([['key-0', key]]));
      const late = jest.spyOn(ReadYourWrites.prototype, 'forWrites').mockResolvedValueOnce(false);
      await expect(asked()).rejects.toThrow(Unavailable);
      late.mockRestore();
    }));
});
