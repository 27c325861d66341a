import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ACCOUNT,
  deeds,
  filters,
  KEY_OF_ADA,
  KEY_OF_BOB,
  OTHER,
} from '../../../../test/support/specs/audit-deeds.js';
import { AuditShelf, type Deed, positionOf } from '../../../../test/support/specs/audit-shelf.js';
import { Random } from '../../../../test/support/specs/random-things.js';
import { MOST_ANSWER_BYTES } from '../../../kernel/sizes.js';
import { BEGINNING, type FeedPage, type FeedQuestion } from './event-feed.js';
import type { EventFilter } from './event-filter.js';

const MOST_EXAMINED = 1_000;

describe('the feed', () => {
  let shelf: AuditShelf;

  beforeEach(() => {
    shelf = new AuditShelf();
  });

  afterEach(async () => {
    await shelf.close();
  });

  async function happen(...all: readonly Deed[]): Promise<void> {
    shelf.happen(...all);
    await shelf.settle();
  }

  function asked(over: Partial<FeedQuestion> = {}): FeedQuestion {
    return { accountId: ACCOUNT, filter: {}, limit: 1_000, after: BEGINNING, ...over };
  }

  async function page(over: Partial<FeedQuestion> = {}): Promise<FeedPage> {
    const { found, isLate } = await shelf.feed.page(asked(over));
    expect(isLate).toBe(false);
    return found;
  }

  /** Reads until a page says that it has examined all there is. Gives the pages. */
  async function pages(filter: EventFilter, limit: number): Promise<FeedPage[]> {
    const read: FeedPage[] = [];
    let after = BEGINNING;
    for (;;) {
      const one = await page({ filter, limit, after });
      read.push(one);
      if (one.next === null) return read;
      expect(one.end).toBe(one.next);
      after = one.next;
    }
  }

  const idsIn = (read: readonly FeedPage[]): string[] =>
    read.flatMap(({ records }) => records.map(({ id }) => id));

  it('has with every combination of filters what a plain list has, in the order of the log', async () => {
    await happen(...deeds(70), ...deeds(30, OTHER), ...deeds(20));
    let matches = 0;
    for (const [index, filter] of filters().entries()) {
      // The feed has no times.
      if (filter.from !== undefined || filter.to !== undefined) continue;
      const limit = [1, 4, 1_000][index % 3] ?? 1;
      const read = await pages(filter, limit);
      const right = shelf.rightInOrder(ACCOUNT, filter);
      expect({ filter, ids: idsIn(read) }).toEqual({ filter, ids: right });
      const full = read.slice(0, -1).every(({ records }) => records.length === limit);
      expect({ filter, full }).toEqual({ filter, full: true });
      matches += right.length;
    }
    expect(matches).toBeGreaterThan(500);
  });

  it('has each event once for readers who go on while events come', async () => {
    const random = new Random(66);
    const seen: string[] = [];
    let after = BEGINNING;
    for (let round = 0; round < 60; round += 1) {
      await happen(...deeds(random.below(9)), ...deeds(random.below(4), OTHER));
      const one = await page({ after, limit: 1 + random.below(7) });
      seen.push(...idsIn([one]));
      after = one.end ?? after;
    }
    seen.push(...idsIn([await page({ after })]));
    expect(seen).toEqual(shelf.rightInOrder(ACCOUNT, {}));
  });

  it('has examined all there is with the last event, also if the page is full', async () => {
    await happen(...deeds(12), ...deeds(3, OTHER));
    expect(await page({ limit: 12 })).toMatchObject({ next: null, records: { length: 12 } });
    expect((await page({ limit: 11 })).next).not.toBeNull();
    const created: EventFilter = { actions: ['key.created'] };
    // Two keys are created, and other events follow.
    expect(await page({ limit: 2, filter: created })).toMatchObject({
      next: null,
      records: { length: 2 },
    });
  });

  it('examines 1,000 events for a page, and moves on although none matched', async () => {
    const one = (index: number): Deed => ({
      account: ACCOUNT,
      event: {
        type: index % 2 === 0 ? 'ApiKeyDisabled' : 'ApiKeyEnabled',
        data: { hash: 'busy' },
      },
      actor: index < 2_400 ? KEY_OF_ADA : KEY_OF_BOB,
      hour: index,
    });
    await happen(...Array.from({ length: 2_500 }, (_, index) => one(index)));
    const before = shelf.documentsRead;
    const read = await pages({ actor: 'bob' }, 1_000);
    expect(read.map(({ records }) => records.length)).toEqual([0, 0, 100]);
    expect(shelf.documentsRead - before).toBeLessThan(2_500 + 2 * (MOST_EXAMINED / 2));
    expect((await page()).records).toHaveLength(MOST_EXAMINED);
  });

  it('has pages of at most 2 MiB', async () => {
    const name = 'n'.repeat(500_000);
    const large = (index: number): Deed => ({
      account: ACCOUNT,
      event: { type: 'ApiKeyRenamed', data: { hash: 'key-1', name, previous_name: '' } },
      actor: KEY_OF_ADA,
      hour: index,
    });
    await happen(...Array.from({ length: 9 }, (_, index) => large(index)));
    const read = await pages({}, 1_000);
    expect(idsIn(read)).toEqual(shelf.rightInOrder(ACCOUNT, {}));
    for (const one of read) {
      expect(JSON.stringify(one.records).length).toBeLessThan(MOST_ANSWER_BYTES);
    }
  });

  it('begins with the next event for a reader of the latest', async () => {
    await happen(...deeds(9), ...deeds(5, OTHER));
    const { found: after } = await shelf.feed.latest(ACCOUNT);
    expect(await page({ after })).toEqual({ records: [], next: null, end: null });
    await happen(...deeds(3, OTHER), ...deeds(2));
    expect(idsIn([await page({ after })])).toEqual(shelf.rightInOrder(ACCOUNT, {}).slice(-2));
  });

  describe('after a place', () => {
    let after: string;

    beforeEach(async () => {
      await happen(...deeds(3), ...deeds(1, OTHER));
      after = (await page()).end ?? '';
      expect(after).toBe(`${positionOf(3)} event-3`);
    });

    it.each([
      ['another event is', `${positionOf(3)} event-2`],
      ['an event of another account is', `${positionOf(4)} event-4`],
      ['no event is', `${positionOf(2)}5 event-3`],
      ['the log has ended', `${positionOf(9)} event-9`],
    ])('where %s, is refused', async (_, place) => {
      await expect(shelf.feed.page(asked({ after: place }))).rejects.toMatchObject({
        code: 'cursor-unknown',
      });
    });

    it('that is not folded yet, waits, and then has nothing and is late', async () => {
      shelf.head = positionOf(9);
      const late = await shelf.feed.page(asked({ after: `${positionOf(9)} event-9` }));
      expect(late).toEqual({ found: { records: [], next: null, end: null }, isLate: true });
    });

    it('waits until it is folded', async () => {
      shelf.happen(...deeds(5));
      shelf.head = positionOf(9);
      const reading = shelf.feed.page(asked({ after: `${positionOf(8)} event-8` }));
      await shelf.settle();
      const { found, isLate } = await reading;
      expect({ ids: idsIn([found]), isLate }).toEqual({ ids: ['event-9'], isLate: false });
    });
  });
});
