import { describe, expect, it } from '@jest/globals';
import { hashOf } from '../../../../test/support/histories/usage.js';
import { Refusal } from '../../../kernel/errors.js';
import type { ListActivityRequest } from '../activity.fields.js';
import { type Asked, askedOf } from './activity-filter.js';

const NOW = new Date('2026-03-02T23:59:59.999Z');

const asked = (query: Partial<ListActivityRequest>, before?: Asked) => askedOf(query, before, NOW);

/** Gives the paths of the faults of a query. */
function faultsOf(query: Partial<ListActivityRequest>, before?: Asked): string[] {
  try {
    asked(query, before);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'request-invalid') throw error;
    const { issues } = error.details as { readonly issues: readonly { readonly path: string }[] };
    return issues.map(({ path }) => path);
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
    for (const group_by of ['workspace', 'day'] as const) {
      expect(faultsOf({ workspace_id: 'eu', group_by })).toEqual([]);
      expect(faultsOf({ ...ofKeys, user: 'ada', group_by })).toEqual(['api_key_hash', 'user']);
    }
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

describe('a page behind another one', () => {
  const dates = { from: '2026-01-05', to: '2026-02-03' };
  const filter = { group_by: 'user', ...dates, user: 'Zoë' } as const;
  const before = { filter, after: 'a place' };

  it('has its filter and its dates, which may be left out or repeated', () => {
    expect(asked({}, before)).toEqual(before);
    expect(asked({ ...filter }, before)).toEqual(before);
    expect(asked({ user: 'Zoë', workspace_id: 'all' }, before)).toEqual(before);
    const ofKey = { group_by: 'key', ...dates, api_key_hash: hashOf('a') } as const;
    const other = { filter: ofKey, after: 'a place' };
    expect(asked({ api_key_hash: hashOf('A') }, other).filter).toEqual(ofKey);
  });

  it.each<[string, Partial<ListActivityRequest>]>([
    ['group_by', { group_by: 'key' }],
    ['from', { from: '2026-01-04' }],
    ['to', { to: '2026-03-02' }],
    ['user', { user: 'zoe' }],
    ['workspace_id', { workspace_id: 'eu' }],
    ['api_key_hash', { api_key_hash: hashOf('a') }],
  ])('has no other %s', (path, query) => {
    expect(faultsOf(query, before)).toEqual([path]);
  });
});
