import { describe, expect, it } from '@jest/globals';
import { AWAY, HOME, KEY_HASH, keyCreated } from '../../../test/histories/keys.js';
import { given } from '../../../test/specs/given.js';
import type { KeyEvent } from './key.events.js';
import { type Key, key, ownKey } from './key.js';
import { type KeyChanges, movedTo, updateKey } from './key-updates.js';
import { type Homes, undoUpdate } from './undo-update.js';

/** A change of every field that an update can have but the workspace. */
const CHANGES: Required<Omit<KeyChanges, 'workspace_id'>> = {
  name: 'second',
  disabled: true,
  limit: 5,
  limit_reset: 'daily',
  include_byok_in_limit: true,
};
const DEFAULT = 'workspace-default';
const BOTH_THERE: Homes = { current: true, previous: true, defaultId: DEFAULT };

const stateAfter = (...events: KeyEvent[]): Key =>
  ownKey(given(key, keyCreated(), ...events).state, 'account-1');

const before = stateAfter();
const update = [movedTo(before, AWAY), ...updateKey(before, CHANGES)];
const after = stateAfter(...update);

/** The key once the update was taken back, which was followed by other changes. */
function takenBack(homes: Partial<Homes>, ...others: KeyEvent[]): Key {
  const now = stateAfter(...update, ...others);
  const events = undoUpdate(now, { before, after }, { ...BOTH_THERE, ...homes });
  return stateAfter(...update, ...others, ...events);
}

/** Without the time of its last change. */
const shown = ({ updated_at: _, ...rest }: Key): object => rest;

describe('taking back an update that moved a key', () => {
  it('changes every field that there is', () => {
    const fields = ['name', 'disabled', 'limit', 'limit_reset', 'include_byok_in_limit'] as const;
    for (const field of fields) expect(after[field]).not.toEqual(before[field]);
  });

  it('gives each field the value that it had, in the workspace that the key left', () => {
    expect(shown(takenBack({ current: false }))).toEqual(shown(before));
  });

  it('leaves the key where it is if that workspace is there still', () => {
    expect(shown(takenBack({}))).toEqual({ ...shown(before), workspace_id: AWAY });
  });

  it.each(Object.entries(CHANGES))('leaves what somebody else changed since: %s', (field) => {
    const other = {
      name: 'third',
      disabled: false,
      limit: 7,
      limit_reset: 'weekly',
      include_byok_in_limit: false,
    }[field as keyof typeof CHANGES];
    const change: KeyChanges = { [field]: other };
    const others = updateKey(after, change);
    expect(others).toHaveLength(1);
    const changedSince = stateAfter(...others);
    const expected = { ...shown(changedSince), workspace_id: HOME };
    expect(shown(takenBack({ current: false }, ...others))).toEqual(expected);
  });

  it('puts a key whose workspaces are both gone into the default one, disabled, whatever it was', () => {
    const gone = { current: false, previous: false };
    const enabledSince: KeyEvent = { type: 'ApiKeyEnabled', data: { hash: KEY_HASH } };
    for (const others of [[], [enabledSince]]) {
      expect(shown(takenBack(gone, ...others))).toEqual({
        ...shown(before),
        workspace_id: DEFAULT,
        disabled: true,
      });
    }
  });
});
