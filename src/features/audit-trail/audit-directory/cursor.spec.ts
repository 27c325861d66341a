import { describe, expect, it } from '@jest/globals';
import { timeAt } from '../../../../test/support/specs/metadata-at.js';
import { orderOf } from '../domain/order.js';
import { cursorAt, type CursorScope, placeOf } from './cursor.js';
import type { EventFilter } from './event-filter.js';

const TIME = '2026-11-24T09:00:00.000Z';
const ORDER = orderOf(TIME, '0000000000000042-3b241101');

const FILTER = {
  actions: ['key.disabled', 'key.enabled'],
  actor: 'ada',
  target: { type: 'key', id: 'key-1' },
  from: timeAt(1),
  to: timeAt(9),
} as const satisfies Required<EventFilter>;

const SCOPE: CursorScope = { accountId: 'account-1', secret: 'secret-1', filter: FILTER };

const { from, to } = FILTER;

/** Gives filters that each differ in one field, or lack one field. */
const OTHERS: readonly [string, EventFilter][] = [
  ['other actions', { ...FILTER, actions: ['key.disabled', 'key.renamed'] }],
  ['fewer actions', { ...FILTER, actions: ['key.disabled'] }],
  ['another actor', { ...FILTER, actor: 'bob' }],
  ['another type of target', { ...FILTER, target: { type: 'workspace', id: 'key-1' } }],
  ['another target', { ...FILTER, target: { type: 'key', id: 'key-2' } }],
  ['any target of the type', { ...FILTER, target: { type: 'key' } }],
  ['another start', { ...FILTER, from: timeAt(2) }],
  ['another end', { ...FILTER, to: timeAt(8) }],
  ['start and end in turn', { ...FILTER, from: to, to: from }],
  ...Object.keys(FILTER).map((field): [string, EventFilter] => [
    `no ${field}`,
    { ...FILTER, [field]: undefined },
  ]),
];

describe('a cursor', () => {
  const cursor = cursorAt(ORDER, SCOPE);

  it('tells its place to its own scope, however that names the actions', () => {
    expect(placeOf(cursor, SCOPE)).toBe(ORDER);
    const filter: EventFilter = {
      ...FILTER,
      actions: ['key.enabled', 'key.disabled', 'key.enabled'],
    };
    expect(placeOf(cursor, { ...SCOPE, filter })).toBe(ORDER);
  });

  it.each(OTHERS)('tells nothing to a filter with %s', (_, filter) => {
    expect(placeOf(cursor, { ...SCOPE, filter })).toBeUndefined();
    expect(placeOf(cursorAt(ORDER, { ...SCOPE, filter }), SCOPE)).toBeUndefined();
  });

  it('tells nothing to another account, nor where the secret is another one', () => {
    expect(placeOf(cursor, { ...SCOPE, accountId: 'account-2' })).toBeUndefined();
    expect(placeOf(cursor, { ...SCOPE, secret: 'secret-2' })).toBeUndefined();
  });

  it('tells nothing once any of its characters is another one', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~+/';
    for (let index = 0; index < cursor.length; index += 1) {
      for (const wrong of alphabet) {
        if (wrong === cursor[index]) continue;
        const changed = cursor.slice(0, index) + wrong + cursor.slice(index + 1);
        expect(placeOf(changed, SCOPE)).toBeUndefined();
      }
    }
  });
});
