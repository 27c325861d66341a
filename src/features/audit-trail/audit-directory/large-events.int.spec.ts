import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keyCreated } from '../../../../test/support/histories/keys.js';
import { openedAccount } from '../../../../test/support/histories/accounts.js';
import { AuditShelf, type Deed } from '../../../../test/support/specs/audit-shelf.js';
import { countTurns } from '../../../../test/support/specs/turns.js';
import { MOST_ANSWER_BYTES } from '../../../kernel/sizes.js';
import type { Actor } from '../../../kernel/metadata.js';
import { sealCursor } from '../../../edge/http/answers/sealed-cursor.js';
import type { EventFilter } from './event-filter.js';

const ACCOUNT = 'account-1';
const KEY_OF_ADA: Actor = { type: 'management-key', id: 'hash-1', user_id: 'ada' };
const OPERATOR: Actor = { type: 'operator', id: 'ada', user_id: null };
const LONG_NAME = 'n'.repeat(100_000);
/** Characters that JSON writes with six bytes each. */
const ESCAPED_NAME = '\u0001'.repeat(16_000);
const BY_NOBODY: EventFilter = { actor: 'nobody', target: { type: 'key', id: 'key-1' } };

const CALLER = { accountId: ACCOUNT, cursorSecret: 'secret' };

describe('the audit directory, of events as large as they could be once,', () => {
  let shelf: AuditShelf;

  beforeEach(async () => {
    shelf = new AuditShelf();
    const [opened] = openedAccount();
    if (opened?.type !== 'AccountCreated') throw new Error('an account begins otherwise');
    const event = { ...opened, data: { ...opened.data, account_id: ACCOUNT } };
    shelf.happen({ event, account: ACCOUNT, hour: 0, actor: OPERATOR });
    await shelf.settle();
  });

  afterEach(async () => {
    await shelf.close();
  });

  function renames(count: number, name: string): Deed[] {
    const data = { hash: 'key-1', name, previous_name: name };
    return Array.from({ length: count }, (_, hour) => ({
      account: ACCOUNT,
      event: { type: 'ApiKeyRenamed', data },
      actor: KEY_OF_ADA,
      hour,
    }));
  }

  async function pageOf(filter: EventFilter, after?: string) {
    const before = shelf.documentsRead;
    const turns = countTurns();
    const { found } = await shelf.directory.list(ACCOUNT, filter).page(100, after);
    turns.stop();
    return { ...found, turns: turns.passed(), read: shelf.documentsRead - before };
  }

  it('looks at few for a page on which none matches, and lets others have their turn', async () => {
    shelf.happen(...renames(300, LONG_NAME));
    await shelf.settle();
    for (let after: string | undefined, pages = 0; pages < 3; pages += 1) {
      const page = await pageOf(BY_NOBODY, after);
      expect(page).toMatchObject({ records: [], next: expect.any(String) });
      expect(page.turns).toBeGreaterThanOrEqual(3);
      // Each event has 300 KB, and a page may read 2 MB. It reads one event more.
      expect(page.read).toBeLessThan(25);
      after = page.next ?? undefined;
    }
  });

  it('finds all that match, page by page, large ones among small ones', async () => {
    const first = { event: keyCreated({ hash: 'key-1' }), account: ACCOUNT, hour: 0 };
    shelf.happen({ ...first, actor: OPERATOR }, ...renames(20, LONG_NAME), ...renames(300, 'n'));
    await shelf.settle();
    const target = { type: 'key' as const, id: 'key-1' };
    const both = { target, actor: 'ada' };
    for (const filter of [{}, { target }, { actor: 'ada' }, both, { target, actor: 'hash-1' }]) {
      const found = (await shelf.found(ACCOUNT, filter, 100)).flat();
      expect({ filter, found }).toEqual({ filter, found: shelf.right(ACCOUNT, filter) });
      const { found: chunks } = await shelf.directory.list(ACCOUNT, filter).stream();
      const streamed: string[] = [];
      for await (const chunk of chunks) streamed.push(...chunk.map(({ id }) => id));
      expect({ filter, streamed }).toEqual({ filter, streamed: found });
    }
  });

  it.each([
    ['long', LONG_NAME],
    ['escaped as JSON', ESCAPED_NAME],
  ])('puts no more of those whose names are %s on a page than an answer has', async (_, name) => {
    shelf.happen(...renames(100, name));
    await shelf.settle();
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const { records, next } = await pageOf({}, after);
      const next_cursor = next && sealCursor(next, { list: 'audit-events', caller: CALLER });
      const answer = Buffer.byteLength(JSON.stringify({ data: records, next_cursor }));
      expect(answer).toBeLessThanOrEqual(MOST_ANSWER_BYTES);
      expect(records.length).toBeGreaterThan(1);
      ids.push(...records.map(({ id }) => id));
      after = next ?? undefined;
    } while (after !== undefined);
    expect(ids).toEqual(shelf.right(ACCOUNT, {}));
  });

  it('gives one alone that is larger than an answer, so that what is behind it can be reached', async () => {
    shelf.happen(...renames(2, 'n'.repeat(1_000_000)));
    await shelf.settle();
    const { records, next } = await pageOf({});
    expect(records).toHaveLength(1);
    expect((await pageOf({}, next ?? undefined)).records).toHaveLength(1);
  });
});
