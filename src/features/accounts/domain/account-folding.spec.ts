import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT,
  memberAdded,
  openedAccount,
  workspaceCreated,
  workspaceMemberAdded,
  managementKeyCreated,
  OWNER,
} from '../../../../test/support/histories/accounts.js';
import { given } from '../../../../test/support/specs/given.js';
import { metadataAt } from '../../../../test/support/specs/metadata-at.js';
import { removeMember } from './account.decisions.js';
import type { AccountEvent } from './account.events.js';
import { account, type AccountState } from './account.js';

const metadata = metadataAt(0);
const BEFORE = 20_000;
const FOLDED = 1_000;
/** The tries that are made, and those that may be made on a machine that disturbs them all. */
const [TRIES, MOST_TRIES] = [20, 60];
/** An event that copies a state with `BEFORE` entries takes twenty times as long or more. */
const MOST_TIMES_AS_LONG = 6;

function then(state: AccountState, event: AccountEvent): AccountState {
  return account.evolve(state, { ...event, metadata });
}

describe('folding an account', () => {
  it('leaves every earlier state as it was', () => {
    const before = given(
      account,
      ...openedAccount(),
      memberAdded('bob'),
      workspaceCreated('eu'),
      workspaceMemberAdded('eu', 'bob'),
      managementKeyCreated('h', 'bob'),
    ).state;
    const decided = removeMember(before, 'bob');
    expect(decided).toHaveLength(3);
    const after = decided.reduce(then, before);
    expect(removeMember(before, 'bob')).toEqual(decided);
    expect(removeMember(then(before, memberAdded('cy')), 'bob')).toEqual(decided);
    expect(() => removeMember(after, 'bob')).toThrow('member-unknown');
  });

  it('takes memory for what the account holds, and none for what is gone', () => {
    const opened = given(account, ...openedAccount()).state;
    const added = [memberAdded('bob'), workspaceCreated('eu'), workspaceMemberAdded('eu', 'bob')];
    const sizes = added.map((_, index) =>
      account.sizeOf(added.slice(0, index + 1).reduce(then, opened)),
    );
    expect([...new Set(sizes)].sort((a, b) => a - b)).toEqual(sizes);
    expect(sizes[0]).toBeGreaterThan(account.sizeOf(opened));
    const ended: AccountEvent[] = [
      { type: 'WorkspaceDeleted', data: { account_id: ACCOUNT, workspace_id: 'eu' } },
      { type: 'MemberRemoved', data: { account_id: ACCOUNT, user_id: 'bob' } },
    ];
    expect(account.sizeOf([...added, ...ended].reduce(then, opened))).toBe(account.sizeOf(opened));
  });

  it.each<[string, (user: string) => AccountEvent]>([
    ['members', memberAdded],
    ['members of a workspace', (user) => workspaceMemberAdded('eu', user)],
    ['workspaces', workspaceCreated],
    ['management keys', (hash) => managementKeyCreated(hash, OWNER)],
  ])('takes no longer for an event after 20,000 %s', (_what, event) => {
    const opened = given(account, ...openedAccount(), workspaceCreated('eu')).state;
    const events = Array.from({ length: BEFORE + FOLDED }, (_, index) => event(`id-${index}`));
    const full = events.slice(0, BEFORE).reduce(then, opened);
    // Processor time counts in steps of up to 10 ms, which is longer than a try takes.
    const timeOf = (folded: AccountEvent[], before: AccountState): number => {
      const begun = performance.now();
      folded.reduce(then, before);
      return performance.now() - begun;
    };
    // Garbage collection, compilation or other suites disturb some of the tries, but not each. Both
    // are tried in turn, so that they meet the same machine.
    let [atFirst, later] = [Infinity, Infinity];
    const isLonger = (): boolean => later >= atFirst * MOST_TIMES_AS_LONG;
    for (let tries = 0; tries < TRIES || (tries < MOST_TRIES && isLonger()); tries += 1) {
      atFirst = Math.min(atFirst, timeOf(events.slice(0, FOLDED), opened));
      later = Math.min(later, timeOf(events.slice(BEFORE), full));
    }
    expect(later).toBeLessThan(atFirst * MOST_TIMES_AS_LONG);
  });
});
