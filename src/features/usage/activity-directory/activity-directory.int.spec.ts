import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hashOf, recordOf } from '../../../../test/support/histories/usage.js';
import { ActivityShelf, nameOf, type Used } from '../../../../test/support/specs/activity-shelf.js';
import { countTurns } from '../../../../test/support/specs/turns.js';
import { MOST_ANSWER_BYTES } from '../../../kernel/sizes.js';
import { TRACKING_STRING_MAX_LENGTH } from '../../../kernel/tracking-string.js';
import { sealCursor } from '../../../edge/http/answers/sealed-cursor.js';
import { type ActivityFilter, LONGEST_CURSOR } from './activity-filter.js';

const ACCOUNT = 'account-1';
const OTHER = 'account-2';
const ALL = { from: '2026-01-01', to: '2026-12-31' };

/** The third name stands before the fourth by code points, and behind it by UTF-16 code units. */
const USERS = ['ada', 'ada b', '\uff5e', '\u{1f600}', null];
const LETTERS = ['a', 'b', 'c', 'f'];
const WORKSPACES = ['eu', 'us'];

/** Uses on ten days, of two accounts, three keys in two workspaces, an unknown key, some users. */
function uses(count: number, from = 0): Used[] {
  return Array.from({ length: count }, (_, place) => {
    const index = place + from;
    const day = String(1 + (index % 10)).padStart(2, '0');
    const record = recordOf({
      key_hash: hashOf(LETTERS[Math.floor(index / 3) % 4] ?? ''),
      user: USERS[Math.floor(index / 2) % 5] ?? null,
      cost: BigInt(index + 1) * 1_000_000_000n,
      occurred_at: `2026-03-${day}T10:00:00.000Z`,
    });
    return {
      account: index % 11 === 0 ? OTHER : ACCOUNT,
      workspace: WORKSPACES[Math.floor(index / 7) % 2] ?? '',
      records: [record],
    };
  });
}

/** Gives every combination of filters that goes together. */
function filters(): ActivityFilter[] {
  const dates = [
    ALL,
    { from: '2026-03-03', to: '2026-03-07' },
    { from: '2026-03-10', to: '2026-03-10' },
  ];
  const hashes = [undefined, hashOf('a'), hashOf('e')];
  const workspaces = [undefined, 'us', 'nowhere'];
  const users = [undefined, 'ada', '\u{1f600}', 'nobody'];
  return dates.flatMap((range) => [
    ...hashes.flatMap((api_key_hash) =>
      workspaces.map((workspace_id) => ({
        group_by: 'key' as const,
        ...range,
        api_key_hash,
        workspace_id,
      })),
    ),
    ...users.map((user) => ({ group_by: 'user' as const, ...range, user })),
    ...workspaces.flatMap((workspace_id) => [
      { group_by: 'workspace' as const, ...range, workspace_id },
      { group_by: 'day' as const, ...range, workspace_id },
    ]),
  ]);
}

describe('the activity directory', () => {
  let shelf: ActivityShelf;

  beforeEach(() => {
    shelf = new ActivityShelf();
  });

  afterEach(async () => {
    await shelf.close();
  });

  it('finds with every combination of filters what a plain list has, in pages and as a stream', async () => {
    await shelf.happen(...uses(600));
    let matches = 0;
    for (const account of [ACCOUNT, OTHER, 'account-3']) {
      for (const [index, filter] of filters().entries()) {
        const rows = shelf.right(account, filter);
        const limit = [1, 4, 1_000][index % 3] ?? 1;
        const pages = await shelf.found(account, filter, limit);
        expect({ filter, rows: pages.flat() }).toEqual({ filter, rows });
        // No index has the rows of a key in one workspace, so such a page may be short.
        const mayBeShort = filter.api_key_hash !== undefined && filter.workspace_id !== undefined;
        const short = pages.slice(0, -1).filter(({ length }) => length !== limit);
        if (!mayBeShort) expect({ filter, short }).toEqual({ filter, short: [] });
        expect({ filter, rows: await shelf.streamed(account, filter) }).toEqual({ filter, rows });
        matches += rows.length;
      }
    }
    expect(matches).toBeGreaterThan(300);
  });

  it('gives each row once, with the sums of its own page, while reports arrive', async () => {
    for (const filter of [
      { group_by: 'key', ...ALL },
      { group_by: 'user', ...ALL },
      { group_by: 'workspace', ...ALL },
      { group_by: 'day', ...ALL, workspace_id: 'us' },
      { group_by: 'key', ...ALL, api_key_hash: hashOf('a'), workspace_id: 'us' },
    ] as const) {
      await shelf.happen(...uses(40));
      const before = shelf.right(ACCOUNT, filter).map(nameOf);
      const moments = [shelf.right(ACCOUNT, filter)];
      const pages = await shelf.found(ACCOUNT, filter, 3, async () => {
        await shelf.happen(...uses(9, shelf.size));
        moments.push(shelf.right(ACCOUNT, filter));
      });
      const names = pages.flat().map(nameOf);
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => before.includes(name))).toEqual(before);
      for (const [index, page] of pages.entries()) {
        expect(moments[index]).toEqual(expect.arrayContaining([...page]));
      }
    }
  });

  it('examines a bounded number of rows for a page, whatever the filter', async () => {
    const moved = Array.from({ length: 2_500 }, (_, index) => ({
      account: ACCOUNT,
      workspace: `workspace-${String(index).padStart(4, '0')}`,
      records: [recordOf({ occurred_at: '2026-03-01T10:00:00.000Z' })],
    }));
    await shelf.happen(...moved);
    const ofKey = { group_by: 'key', ...ALL, api_key_hash: hashOf('a') } as const;
    for (const [filter, most] of [
      [{ ...ofKey, workspace_id: 'workspace-2400' }, 11],
      [{ ...ALL, group_by: 'key', workspace_id: 'workspace-2400' }, 1],
      [ofKey, 11],
    ] as const) {
      const before = shelf.rowsRead;
      await shelf.list(ACCOUNT, filter).page(10);
      expect(shelf.rowsRead - before).toBe(most);
      expect((await shelf.found(ACCOUNT, filter, 500)).flat()).toEqual(
        shelf.right(ACCOUNT, filter),
      );
      expect(await shelf.streamed(ACCOUNT, filter)).toEqual(shelf.right(ACCOUNT, filter));
    }
  });

  it('lets others have their turn between parts of a stream', async () => {
    const users = Array.from({ length: 1_000 }, (_, index) => recordOf({ user: `user-${index}` }));
    await shelf.happen({ account: ACCOUNT, workspace: 'eu', records: users });
    const { found: chunks } = await shelf.list(ACCOUNT, { group_by: 'user', ...ALL }).stream();
    const turns = countTurns();
    const taken: number[] = [];
    for await (const _ of chunks) taken.push(turns.passed());
    turns.stop();
    expect(taken.length).toBeGreaterThan(3);
    expect(new Set(taken).size).toBe(taken.length);
  });

  it('ends a page early where its rows are large, so that an answer and its cursor stay within their bounds', async () => {
    const records = Array.from({ length: 1_000 }, (_, index) =>
      recordOf({
        user: `${String(index).padEnd(TRACKING_STRING_MAX_LENGTH - 1, '\u0001')}x`,
        occurred_at: '2026-03-01T10:00:00.000Z',
      }),
    );
    await shelf.happen({ account: ACCOUNT, workspace: 'eu', records });
    const filter: ActivityFilter = { group_by: 'user', ...ALL };
    const { records: rows, next } = (await shelf.list(ACCOUNT, filter).page(1_000)).found;
    const user = rows.at(-1)?.user ?? '';
    const caller = { accountId: ACCOUNT, cursorSecret: 'secret' };
    const place = JSON.stringify({ filter: { ...filter, user }, after: next });
    const next_cursor = sealCursor(place, { list: 'activity', caller });
    expect(next_cursor.length).toBeGreaterThan(LONGEST_CURSOR / 2);
    expect(next_cursor.length).toBeLessThan(LONGEST_CURSOR);
    const bytes = Buffer.byteLength(JSON.stringify({ data: rows, next_cursor }));
    expect(bytes).toBeGreaterThan(MOST_ANSWER_BYTES - 20_000);
    expect(bytes).toBeLessThan(MOST_ANSWER_BYTES);
    expect((await shelf.found(ACCOUNT, filter, 1_000)).flat()).toEqual(
      shelf.right(ACCOUNT, filter),
    );
  });
});
