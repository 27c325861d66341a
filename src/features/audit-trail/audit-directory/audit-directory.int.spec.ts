import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openedAccount } from '../../../../test/support/histories/accounts.js';
import {
  ACCOUNT,
  deeds,
  filters,
  KEY_OF_ADA,
  KEY_OF_BOB,
  OPERATOR,
  OTHER,
} from '../../../../test/support/specs/audit-deeds.js';
import { AuditShelf, type Deed } from '../../../../test/support/specs/audit-shelf.js';
import { timeAt } from '../../../../test/support/specs/metadata-at.js';
import { countTurns } from '../../../../test/support/specs/turns.js';
import type { EventFilter } from './event-filter.js';

describe('the audit directory', () => {
  let shelf: AuditShelf;

  beforeEach(async () => {
    shelf = new AuditShelf();
    for (const account of [ACCOUNT, OTHER]) {
      const [opened] = openedAccount();
      if (opened?.type !== 'AccountCreated') throw new Error('an account begins otherwise');
      const event = { ...opened, data: { ...opened.data, account_id: account } };
      shelf.happen({ event, account, hour: 0, actor: OPERATOR });
    }
    await shelf.settle();
  });

  afterEach(async () => {
    await shelf.close();
  });

  it('finds with every combination of filters what a plain list has, in pages of any length', async () => {
    shelf.happen(...deeds(70), ...deeds(30, OTHER));
    await shelf.settle();
    const lengths = [1, 4, 100];
    let matches = 0;
    for (const [index, filter] of filters().entries()) {
      const limit = lengths[index % lengths.length] ?? 1;
      const right = shelf.right(ACCOUNT, filter);
      const pages = await shelf.found(ACCOUNT, filter, limit);
      expect({ filter, ids: pages.flat() }).toEqual({ filter, ids: right });
      const full = pages.slice(0, -1).every(({ length }) => length === limit);
      expect({ filter, full }).toEqual({ filter, full: true });
      matches += right.length;
    }
    expect(matches).toBeGreaterThan(1_000);
  });

  it('neither shifts, repeats nor skips an event while others arrive, late ones too', async () => {
    shelf.happen(...deeds(60));
    await shelf.settle();
    for (const filter of [{}, { actor: 'ada' }, { target: { type: 'key' as const } }]) {
      const before = shelf.right(ACCOUNT, filter);
      const pages = await shelf.found(ACCOUNT, filter, 4, async () => {
        shelf.happen(...deeds(7));
        await shelf.settle();
      });
      const found = pages.flat();
      expect(new Set(found).size).toBe(found.length);
      expect(found.filter((id) => before.includes(id))).toEqual(before);
      const all = shelf.right(ACCOUNT, filter);
      expect(all.filter((id) => found.includes(id))).toEqual(found);
    }
  });

  it('streams what its pages have', async () => {
    shelf.happen(...deeds(600));
    await shelf.settle();
    const target = { type: 'key' as const, id: 'key-1' };
    for (const filter of [{}, { actor: 'ada' }, { actor: 'ada', target }]) {
      const { found: chunks } = await shelf.directory.list(ACCOUNT, filter).stream();
      const found: string[] = [];
      for await (const chunk of chunks) found.push(...chunk.map(({ id }) => id));
      expect(found).toEqual(shelf.right(ACCOUNT, filter));
    }
  });

  it('lets others have their turn between parts of a stream, however fast they are taken', async () => {
    shelf.happen(...deeds(3_000));
    await shelf.settle();
    const { found: chunks } = await shelf.directory.list(ACCOUNT, {}).stream();
    const turns = countTurns();
    const taken: number[] = [];
    for await (const _ of chunks) taken.push(turns.passed());
    turns.stop();
    expect(taken.length).toBeGreaterThan(3);
    expect(new Set(taken).size).toBe(taken.length);
  });

  it('streams large events a few at a time, and small ones by the hundred', async () => {
    const sizes: number[] = [];
    // The directory reads small events first, and the first large events behind them.
    for (const [name, count] of [
      ['n'.repeat(100_000), 300],
      ['n', 600],
    ] as const) {
      const data = { hash: 'key-1', name, previous_name: name };
      const [deed] = deeds(1);
      if (!deed) throw new Error('nothing was done');
      const renamed = { ...deed, event: { type: 'ApiKeyRenamed' as const, data } };
      shelf.happen(...Array.from({ length: count }, () => renamed));
      await shelf.settle();
      const { found: chunks } = await shelf.directory.list(ACCOUNT, {}).stream();
      let largest = 0;
      for await (const chunk of chunks) {
        largest = Math.max(largest, JSON.stringify(chunk).length);
        sizes.push(chunk.length);
      }
      expect(largest).toBeLessThan(1_500_000);
    }
    expect(Math.max(...sizes)).toBe(250);
  });

  it('reads a small part of a long trail for a page, whatever the filter and the depth', async () => {
    shelf.happen(...deeds(4_000));
    await shelf.settle();
    const midway = timeAt(1_000);
    for (const filter of filters()) {
      for (const asked of [filter, { ...filter, to: filter.to ?? midway }]) {
        const [ranges, documents] = [shelf.rangesRead, shelf.documentsRead];
        await shelf.directory.list(ACCOUNT, asked).page(10);
        // Without an index for both fields, a page reads up to its limit, in steps that double.
        const unindexed = asked.actor !== undefined && asked.target && 'id' in asked.target;
        const read = shelf.documentsRead - documents;
        const small = read <= (unindexed ? 1_600 : 30);
        expect({ asked, read, small }).toEqual({ asked, read, small: true });
        // Each range is a round trip to a server.
        const journeys = shelf.rangesRead - ranges;
        const few = journeys <= (unindexed ? 8 : 2);
        expect({ asked, journeys, few }).toEqual({ asked, journeys, few: true });
      }
    }
  });

  it('ends a page early where it looked at many events of a target and none was by the actor', async () => {
    const data = { hash: 'busy' };
    const busy = (index: number): Deed => ({
      account: ACCOUNT,
      event: { type: index % 2 === 0 ? 'ApiKeyDisabled' : 'ApiKeyEnabled', data },
      actor: index === 0 ? KEY_OF_BOB : KEY_OF_ADA,
      hour: index,
    });
    shelf.happen(...Array.from({ length: 2_500 }, (_, index) => busy(index)));
    await shelf.settle();
    const filter: EventFilter = { actor: 'bob', target: { type: 'key', id: 'busy' } };
    const before = shelf.documentsRead;
    const first = await shelf.directory.list(ACCOUNT, filter).page(50);
    expect(first.found).toMatchObject({ records: [], next: expect.any(String) });
    expect(shelf.documentsRead - before).toBeLessThan(1_600);
    expect((await shelf.found(ACCOUNT, filter, 50)).flat()).toEqual(shelf.right(ACCOUNT, filter));
  });

  it('tells an event to its own account alone', async () => {
    const [made] = deeds(1);
    if (made?.event.type !== 'ApiKeyCreated') throw new Error('the deeds begin otherwise');
    shelf.happen(made);
    await shelf.settle();
    const [id = ''] = shelf.right(ACCOUNT, { actions: ['key.created'] });
    expect((await shelf.directory.event(ACCOUNT, id)).found).toMatchObject({
      id,
      action: 'key.created',
      actor: KEY_OF_ADA,
      target: { type: 'key', id: made.event.data.hash, name: 'first' },
    });
    await expect(shelf.directory.event(OTHER, id)).rejects.toMatchObject({ code: 'not-found' });
    const unknown = shelf.directory.event(ACCOUNT, 'unknown');
    await expect(unknown).rejects.toMatchObject({ code: 'not-found' });
  });
});
