import { describe, expect, it } from '@jest/globals';
import { forPeople } from './for-people.js';

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
});
