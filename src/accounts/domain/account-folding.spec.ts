import { describe, expect, it } from '@jest/globals';
import {
  memberAdded,
  openedAccount,
  workspaceCreated,
  workspaceMemberAdded,
  managementKeyCreated,
  OWNER,
} from '../../../test/histories/accounts.js';
import { given } from '../../../test/specs/given.js';
import { metadataAt } from '../../../test/specs/metadata-at.js';
import { removeMember } from './account.decisions.js';
import type { AccountEvent } from './account.events.js';
import { account, type AccountState } from './account.js';

const metadata = metadataAt(0);
const FEW = 2_000;
const MANY = 20_000;
/**
 * Ten times the events take about ten times as long. If each event copied the state, they would take a hundred times as
 * long.
 */
const MOST_TIMES_AS_LONG = 30;

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

  it.each<[string, (user: string) => AccountEvent]>([
    ['members', memberAdded],
    ['members of a workspace', (user) => workspaceMemberAdded('eu', user)],
    ['workspaces', workspaceCreated],
    ['management keys', (hash) => managementKeyCreated(hash, OWNER)],
  ])('takes no longer for an event after 20,000 %s', (_what, event) => {
    const opened = given(account, ...openedAccount(), workspaceCreated('eu')).state;
    // Processor time does not count the other suites on the same machine.
    const timeOf = (count: number): number => {
      const events = Array.from({ length: count }, (_, index) => event(`id-${index}`));
      const begun = process.cpuUsage();
      events.reduce(then, opened);
      return process.cpuUsage(begun).user;
    };
    const few = Math.max(timeOf(FEW), timeOf(FEW));
    expect(timeOf(MANY)).toBeLessThan(few * MOST_TIMES_AS_LONG);
  });
});
