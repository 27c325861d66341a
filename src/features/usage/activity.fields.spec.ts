import { describe, expect, it } from '@jest/globals';
import { hashOf } from '../../../test/support/histories/usage.js';
import { Refusal } from '../../kernel/errors.js';
import { cursorText } from './activity-directory/cursor.js';
import { askedOf, type ListActivityRequest } from './activity.fields.js';

const NOW = new Date('2026-03-02T23:59:59.999Z');
const ACCOUNT = 'account-1';

const asked = (query: Partial<ListActivityRequest>, account = ACCOUNT) =>
  askedOf({ limit: '100', ...query }, account, NOW);

/** Gives the paths of the faults of a query. */
function faultsOf(query: Partial<ListActivityRequest>, account = ACCOUNT): string[] {
  try {
    asked(query, account);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'request-invalid') throw error;
    return (error.details?.['issues'] as { path: string }[]).map(({ path }) => path);
  }
  return [];
}

describe('a query for activity', () => {
  it('is about 30 days by key to today, unless it says otherwise', () => {
    expect(asked({})).toEqual({
      filter: { group_by: 'key', from: '2026-02-01', to: '2026-03-02' },
      after: undefined,
    });
    expect(asked({ to: '2024-03-01' }).filter.from).toBe('2024-02-01');
    expect(asked({ from: '2020-01-01' }).filter).toMatchObject({
      from: '2020-01-01',
      to: '2026-03-02',
    });
    expect(asked({ to: '0000-01-01' }).filter.to).toBe('0000-01-01');
  });

  it('has no dates the wrong way round, and no filter of the other group', () => {
    expect(faultsOf({ from: '2026-03-02', to: '2026-03-02' })).toEqual([]);
    expect(faultsOf({ from: '2026-03-02', to: '2026-03-01' })).toEqual(['from']);
    expect(faultsOf({ from: '2026-03-03' })).toEqual(['from']);
    expect(faultsOf({ user: 'ada' })).toEqual(['user']);
    expect(faultsOf({ user: 'ada', group_by: 'key' })).toEqual(['user']);
    const ofKeys = { api_key_hash: hashOf('a'), workspace_id: 'eu' };
    expect(faultsOf(ofKeys)).toEqual([]);
    expect(faultsOf({ ...ofKeys, group_by: 'user' })).toEqual(['api_key_hash', 'workspace_id']);
  });

  it('takes a hash and a workspace in either case', () => {
    const workspace_id = 'ABCDEF01-0000-4000-8000-000000000000';
    expect(asked({ api_key_hash: hashOf('A'), workspace_id }).filter).toMatchObject({
      api_key_hash: hashOf('a'),
      workspace_id: workspace_id.toLowerCase(),
    });
  });

  it('is about every workspace when it says `all`, as when it names none', () => {
    const { workspace_id, ...filter } = asked({ workspace_id: 'all' }).filter;
    expect({ workspace_id, filter }).toEqual({ filter: asked({}).filter });
    expect(faultsOf({ workspace_id: 'all', group_by: 'user' })).toEqual([]);
  });
});

describe('a cursor', () => {
  const dates = { from: '2026-01-05', to: '2026-02-03' };
  const filter = { group_by: 'user', ...dates, user: 'Zoë' } as const;
  const cursor = cursorText({ account_id: ACCOUNT, after: 'a place', filter });

  it('carries the filter and the dates, which may be left out or repeated', () => {
    const expected = { filter, after: 'a place' };
    expect(asked({ cursor })).toEqual(expected);
    expect(asked({ cursor, ...filter })).toEqual(expected);
    expect(asked({ cursor, user: 'Zoë', workspace_id: 'all' })).toEqual(expected);
    const ofKey = { group_by: 'key', ...dates, api_key_hash: hashOf('a') } as const;
    const other = cursorText({ account_id: ACCOUNT, after: 'a place', filter: ofKey });
    expect(asked({ cursor: other, api_key_hash: hashOf('A') }).filter).toEqual(ofKey);
  });

  it.each<[string, Partial<ListActivityRequest>]>([
    ['group_by', { group_by: 'key' }],
    ['from', { from: '2026-01-04' }],
    ['to', { to: '2026-03-02' }],
    ['user', { user: 'zoe' }],
    ['workspace_id', { workspace_id: 'eu' }],
    ['api_key_hash', { api_key_hash: hashOf('a') }],
  ])('does not go with another %s', (path, query) => {
    expect(faultsOf({ cursor, ...query })).toEqual([path]);
  });

  it.each([
    ['of another account', cursorText({ account_id: 'account-2', after: '', filter })],
    ['of nothing', 'x'],
    ['without its end', cursor.slice(0, -4)],
    ['with more in it', textOf({ account_id: ACCOUNT, after: '', filter, more: 1 })],
    [
      'of another group',
      textOf({ account_id: ACCOUNT, after: '', filter: { ...filter, group_by: 'day' } }),
    ],
    ['of null', textOf(null)],
  ])('%s is refused', (_, text) => {
    expect(faultsOf({ cursor: text })).toEqual(['cursor']);
  });

  it('that was forged with a filter of the other group is refused', () => {
    const forged = { ...filter, workspace_id: 'eu' };
    const text = cursorText({ account_id: ACCOUNT, after: '', filter: forged });
    expect(faultsOf({ cursor: text })).toEqual(['workspace_id']);
  });
});

function textOf(content: unknown): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}
