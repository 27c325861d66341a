import { describe, expect, it } from '@jest/globals';
import { forPeople } from './for-people.js';
import { widthOf } from './layout.js';

describe('a result for people', () => {
  it('is a table for a list', () => {
    const data = [
      { name: 'first', members: ['ada', 'bob'], count: 2 },
      { name: 'a longer name', members: [], count: null },
    ];
    expect(forPeople({ data })).toBe(
      'name           members   count\nfirst          ada, bob  2\na longer name  -         -\n',
    );
    expect(forPeople({ data: [] })).toBe('none\n');
  });

  it('is a line for each field of a record', () => {
    expect(forPeople({ id: 'x', disabled: false })).toBe('id        x\ndisabled  false\n');
  });

  it('has texts of others in one line, without control characters', () => {
    const name = 'a\u001b[31m\nfake\trow';
    expect(forPeople({ data: [{ name, members: [name] }] })).toBe(
      'name                          members\n' +
        'a\\u{1b}[31m\\u{a}fake\\u{9}row  a\\u{1b}[31m\\u{a}fake\\u{9}row\n',
    );
    expect(forPeople({ name })).toBe('name  a\\u{1b}[31m\\u{a}fake\\u{9}row\n');
  });

  describe('in 100 columns', () => {
    const hash = 'f'.repeat(64);
    const id = '5e0b8f2a-1c3d-4e5f-8a9b-0c1d2e3f4a5b';

    it('has hashes and ids whole, on lines of their own where a row is too wide', () => {
      const row = { id, name: 'analytics of all', owner_id: id, hash };
      expect(forPeople({ data: [row, { ...row, name: 'b', hash: null }] })).toBe(
        [
          'id                                    name              owner_id',
          `${id}  analytics of all  ${id}`,
          `  hash  ${hash}`,
          `${id}  b                 ${id}`,
          '  hash  -',
          '',
        ].join('\n'),
      );
    });

    it('shortens the widest texts, however many there are', () => {
      const texts = Object.fromEntries(
        Array.from({ length: 9 }, (_, index) => [`field_${index}`, '鍵'.repeat(512)]),
      );
      const printed = forPeople({ data: [{ ...texts, hash }] });
      expect(printed).toContain(hash);
      expect(printed).toMatch(/^鍵{7}… {3}鍵{7}…/m);
      for (const line of printed.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(100);
    });

    it('has the columns that are asked for, in their order', () => {
      const data = [{ hash, name: 'analytics', disabled: false }];
      expect(forPeople({ data }, ['name', 'hash'])).toBe(`name       hash\nanalytics  ${hash}\n`);
    });
  });
});
