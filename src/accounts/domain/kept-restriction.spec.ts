import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { openedAccount, workspaceCreated } from '../../../test/histories/accounts.js';
import { given } from '../../../test/specs/given.js';
import { codePoints } from '../../kernel/text.js';
import { account, existing } from './account.js';
import { lastRestrictions } from './last-restrictions.js';
import { areShortened, keptRestriction } from './kept-restriction.js';
import { existingWorkspace } from './workspace.decisions.js';
import { updateWorkspace } from './workspace-updates.js';

const LONG = 'eu-only, and whatever else was agreed upon '.repeat(12);
const SHORT = createHash('sha256').update(LONG).digest('base64url');
const KEPT = `eu-only, and wha...sha256:${SHORT}`;

describe('a restriction in the state of an account', () => {
  it('is whole up to 64 characters, of whatever kind', () => {
    for (const text of ['', 'eu-only', 'x'.repeat(64), '\u{1f511}'.repeat(64)]) {
      expect(keptRestriction(text)).toBe(text);
    }
    expect(areShortened(['eu-only', '\u{1f511}'.repeat(64)])).toBe(false);
  });

  it('is its beginning and its SHA-256 when it is longer', () => {
    expect(keptRestriction(LONG)).toBe(KEPT);
    expect(areShortened(['eu-only', KEPT])).toBe(true);
  });

  it('is well-formed wherever it is cut, and never equal to one that is whole', () => {
    for (const beginning of ['', 'a']) {
      const kept = keptRestriction(beginning + '\u{1f511}'.repeat(65));
      expect(kept.isWellFormed()).toBe(true);
      expect(codePoints(kept)).toBeGreaterThan(64);
    }
  });

  it('tells apart two that begin alike', () => {
    expect(keptRestriction(`${LONG}a`)).not.toBe(keptRestriction(`${LONG}b`));
  });
});

describe('a workspace with a long restriction', () => {
  const history = [...openedAccount(), workspaceCreated('eu', [LONG, 'zdr'])];

  it('stays restricted when something else changes', () => {
    const { state } = given(account, ...history, {
      type: 'WorkspaceRenamed',
      data: { workspace_id: 'eu', name: 'Europe', previous_name: 'eu' },
    });
    expect(existingWorkspace(existing(state), 'eu').restrictions).toEqual([KEPT, 'zdr']);
  });

  it('does not change when it gets what it has', () => {
    given(account, ...history)
      .when((state) => updateWorkspace(state, 'eu', { restrictions: ['zdr', LONG] }))
      .thenNothing();
  });

  it('tells its change what it was before, as far as it is kept', () => {
    given(account, ...history)
      .when((state) => updateWorkspace(state, 'eu', { restrictions: [`${LONG}a`] }))
      .then({
        type: 'WorkspaceRestricted',
        data: {
          workspace_id: 'eu',
          restrictions: [`${LONG}a`],
          previous_restrictions: [KEPT, 'zdr'],
        },
      });
  });
});

describe('what a workspace that is gone demanded', () => {
  it('is what its stream said last of it', () => {
    const { state } = given(
      lastRestrictions('eu'),
      ...openedAccount(),
      workspaceCreated('eu', ['eu-only']),
      {
        type: 'WorkspaceRestricted',
        data: { workspace_id: 'eu', restrictions: [LONG, 'zdr'], previous_restrictions: [] },
      },
      workspaceCreated('us', ['us-only']),
      {
        type: 'WorkspaceDeleted',
        data: { account_id: 'account-1', workspace_id: 'eu', deletion_id: 'd' },
      },
    );
    expect(state).toEqual([KEPT, 'zdr']);
  });
});
