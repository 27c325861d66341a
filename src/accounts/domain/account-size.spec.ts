import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import {
  managementKeyCreated,
  memberAdded,
  openedAccount,
  OWNER,
  workspaceCreated,
  workspaceMemberAdded,
} from '../../../test/histories/accounts.js';
import { given } from '../../../test/specs/given.js';
import { metadataAt } from '../../../test/specs/metadata-at.js';
import { account, type AccountState } from './account.js';
import type { AccountEvent } from './account.events.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapUsed(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Gives an event as read from the log, which shares no text with another event. */
function fromLog(event: AccountEvent): AccountEvent {
  return JSON.parse(JSON.stringify(event)) as AccountEvent;
}

function then(state: AccountState, event: AccountEvent): AccountState {
  return account.evolve(state, { ...fromLog(event), metadata: metadataAt(20) });
}

const id = (index: number): string => `user-${String(index).padStart(8, '0')}-of-this-account`;
const texts = (count: number, length: number) => (index: number) =>
  Array.from({ length: count }, (_, place) => `${index}/${place}/`.padEnd(length, 'x'));
const short = texts(32, 64);
const long = texts(100, 512);
const wide = (index: number): string[] => short(index).map((text) => `${text.slice(0, -1)}\u20ac`);
const hash = (index: number): string => String(index).padStart(64, 'a');

const CASES: readonly (readonly [
  string,
  number,
  (index: number) => AccountEvent,
  AccountEvent[],
])[] = [
  ['members', 20_000, (index) => memberAdded(id(index)), []],
  ['management keys', 20_000, (index) => managementKeyCreated(hash(index), OWNER), []],
  ['workspaces', 5_000, (index) => workspaceCreated(`workspace-${index}`), []],
  ['restrictions', 1_000, (index) => workspaceCreated(`workspace-${index}`, short(index)), []],
  ['wide restrictions', 1_000, (index) => workspaceCreated(`workspace-${index}`, wide(index)), []],
  ['long restrictions', 500, (index) => workspaceCreated(`workspace-${index}`, long(index)), []],
  [
    'memberships',
    20_000,
    (index) => workspaceMemberAdded(`workspace-${index % 20}`, id(Math.floor(index / 20))),
    [
      ...Array.from({ length: 20 }, (_, index) => workspaceCreated(`workspace-${index}`)),
      ...Array.from({ length: 1_000 }, (_, index) => memberAdded(id(index))),
    ],
  ],
];

describe('the size of an account', () => {
  it.each(CASES)(
    'is what it takes in memory, within a factor of 2: %s',
    (_what, count, event, before) => {
      let state = [...openedAccount(), ...before].reduce(then, account.initial);
      const [heapBefore, sizeBefore] = [heapUsed(), account.sizeOf(state)];
      for (let index = 0; index < count; index++) state = then(state, event(index));
      const took = heapUsed() - heapBefore;
      const size = account.sizeOf(state) - sizeBefore;
      expect(size / took).toBeGreaterThan(0.5);
      expect(size / took).toBeLessThan(2);
    },
  );

  it('is the same again when all that was added is gone', () => {
    const opened = given(account, ...openedAccount()).state;
    const events: AccountEvent[] = [
      memberAdded('bob'),
      memberAdded('bob'),
      workspaceCreated('eu', ['eu-only']),
      { type: 'WorkspaceRenamed', data: { workspace_id: 'eu', name: 'Europe', previous_name: '' } },
      {
        type: 'WorkspaceRestricted',
        data: { workspace_id: 'eu', restrictions: ['a', 'b'], previous_restrictions: ['eu-only'] },
      },
      workspaceMemberAdded('eu', 'bob'),
      workspaceMemberAdded('eu', 'bob'),
      { type: 'WorkspaceDeletionStarted', data: { workspace_id: 'eu', deletion_id: 'd' } },
    ];
    const grown = events.reduce(then, opened);
    expect(account.sizeOf(grown)).toBeGreaterThan(account.sizeOf(opened) + 1_000);
    const ends: AccountEvent[] = [
      {
        type: 'WorkspaceDeleted',
        data: { account_id: 'account-1', workspace_id: 'eu', deletion_id: 'd' },
      },
      { type: 'MemberRemoved', data: { account_id: 'account-1', user_id: 'bob' } },
      { type: 'MemberRemoved', data: { account_id: 'account-1', user_id: 'bob' } },
    ];
    expect(account.sizeOf(ends.reduce(then, grown))).toBe(account.sizeOf(opened));
  });

  it('does not grow with workspaces that come and go', () => {
    let state = given(account, ...openedAccount()).state;
    const before = account.sizeOf(state);
    for (let index = 0; index < 100; index++) {
      state = then(state, workspaceCreated(`w-${index}`, short(index)));
      state = then(state, {
        type: 'WorkspaceDeleted',
        data: { account_id: 'account-1', workspace_id: `w-${index}`, deletion_id: 'd' },
      });
    }
    expect(account.sizeOf(state)).toBe(before);
  });
});
