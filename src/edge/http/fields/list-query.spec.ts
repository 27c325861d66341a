import { describe, expect, it } from '@jest/globals';
import { nearestTo } from './list-query.js';

const KEYS = [
  'offset',
  'limit',
  'include_disabled',
  'workspace_id',
  'creator_user_id',
  'external_user',
];
const EVENTS = ['limit', 'cursor', 'from', 'to', 'action', 'actor', 'target_type', 'target_id'];

describe('the parameter nearest to a name that no parameter has', () => {
  it.each([
    ['creator', KEYS, 'creator_user_id'],
    ['disabled', KEYS, 'include_disabled'],
    ['ofset', KEYS, 'offset'],
    ['Limit', KEYS, 'limit'],
    ['workspace', KEYS, 'workspace_id'],
    ['user', KEYS, 'external_user'],
    ['actions', EVENTS, 'action'],
    ['target', EVENTS, 'target_id'],
    ['nmae', ['limit', 'name', 'workspace_id'], 'name'],
    ['since', EVENTS, undefined],
    ['name', KEYS, undefined],
    ['x', KEYS, undefined],
    ['', KEYS, undefined],
  ])('to %s is the one that is most like it', (name, names, nearest) => {
    expect(nearestTo(name, names)).toBe(nearest);
  });
});
