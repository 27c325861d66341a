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
const MANY = 20_000;
const MICROSECONDS = 1_000_000;

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
  ])('takes no time to speak of for 20,000 %s', (_what, event) => {
    const opened = given(account, ...openedAccount(), workspaceCreated('eu')).state;
    const events = Array.from({ length: MANY }, (_, count) => event(`id-${count}`));
    const begun = process.cpuUsage();
    events.reduce(then, opened);
    // Processor time, as other suites take their turns on the same machine meanwhile.
    expect(process.cpuUsage(begun).user).toBeLessThan(MICROSECONDS);
  });
});
