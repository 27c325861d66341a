import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../../../kernel/errors.js';
import { sealCursor, type CursorScope, unsealCursor } from './sealed-cursor.js';

const PLACE = '2026-11-24T09:00:00.000Z 0000000000000042-3b241101';
const CALLER = { accountId: 'account-1', cursorSecret: 'secret-1' };
const FILTER = { actions: ['key.disabled', 'key.enabled'], actor: 'ada', to: undefined };
const SCOPE: CursorScope = { list: 'audit-events', caller: CALLER, filter: FILTER };

const OTHERS: readonly [string, CursorScope][] = [
  ['another account', { ...SCOPE, caller: { ...CALLER, accountId: 'account-2' } }],
  ['another secret', { ...SCOPE, caller: { ...CALLER, cursorSecret: 'secret-2' } }],
  ['another list', { ...SCOPE, list: 'activity' }],
  ['another value in its filter', { ...SCOPE, filter: { ...FILTER, actor: 'bob' } }],
  ['one more field in its filter', { ...SCOPE, filter: { ...FILTER, to: '2026-11-24' } }],
  ['one field fewer in its filter', { ...SCOPE, filter: { actor: 'ada' } }],
  ['no filter', { list: SCOPE.list, caller: CALLER }],
];

describe('a cursor', () => {
  const cursor = sealCursor(PLACE, SCOPE);

  it('tells its place to its own scope', () => {
    expect(unsealCursor(cursor, SCOPE)).toBe(PLACE);
    expect(unsealCursor(cursor, { ...SCOPE, filter: { ...FILTER } })).toBe(PLACE);
  });

  it.each(OTHERS)('is refused where there is %s', (_, scope) => {
    expect(() => unsealCursor(cursor, scope)).toThrow(Refusal);
    expect(() => unsealCursor(sealCursor(PLACE, scope), SCOPE)).toThrow(Refusal);
  });

  it('is refused once any of its characters is another one, is left out or added', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~+/';
    for (let index = 0; index < cursor.length; index += 1) {
      for (const wrong of alphabet) {
        if (wrong === cursor[index]) continue;
        const changed = cursor.slice(0, index) + wrong + cursor.slice(index + 1);
        expect(() => unsealCursor(changed, SCOPE)).toThrow(Refusal);
      }
    }
    for (const text of ['', 'x', cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `${cursor}=`])
      expect(() => unsealCursor(text, SCOPE)).toThrow(Refusal);
  });
});
