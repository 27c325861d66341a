import { beforeAll, describe, expect, it } from '@jest/globals';
import { AccountDirectory } from '../../src/accounts/account-directory/account-directory.js';
import { AuditDirectory } from '../../src/audit-trail/audit-directory/audit-directory.js';
import { EndUserDirectory } from '../../src/end-users/end-user-directory/end-user-directory.js';
import { KeyDirectory } from '../../src/keys/key-directory/key-directory.js';
import { ReadYourWrites } from '../../src/projections/read-your-writes.js';
import { READ_STORE, type ReadStore } from '../../src/read-store/read-store.js';
import { createKey } from '../harness/api-keys.js';
import { runningApp, type TestAccount } from '../harness/running-app.js';
import { snapshotsAlone } from '../specs/snapshots-alone.js';

const ALL = { offset: 0, limit: 10 };

describe('a list is read in one snapshot', () => {
  const service = runningApp();
  let account: TestAccount;
  let sources: readonly [ReadStore, ReadYourWrites];

  beforeAll(async () => {
    account = await service.openAccount();
    for (const user of ['ada', 'bob']) await account.client.post('/v1/end-users', { user });
    await account.client.send('DELETE', '/v1/end-users/bob');
    await createKey(account.client);
    const store = service.app.get<ReadStore>(READ_STORE);
    sources = [snapshotsAlone(store), service.app.get(ReadYourWrites)];
  });

  it.each([
    [true, 2],
    [false, 1],
  ])('of end users, with inactive ones: %s', async (includeInactive, total) => {
    const directory = new EndUserDirectory(...sources);
    const page = await directory.page(account.accountId, { ...ALL, includeInactive });
    expect(page).toMatchObject({ total, endUsers: { length: total } });
  });

  it.each([true, false])('of keys, with disabled ones: %s', async (includeDisabled) => {
    const scope = { kind: 'account' as const, id: account.accountId };
    const page = await new KeyDirectory(...sources).page({ ...ALL, scope, includeDisabled });
    expect(page).toMatchObject({ total: 1, keys: { length: 1 } });
  });

  it('of workspaces', async () => {
    const { found } = await new AccountDirectory(...sources).workspacePage(
      account.accountId,
      ALL.offset,
      ALL.limit,
    );
    expect(found).toMatchObject({ total: 1, workspaces: { length: 1 } });
  });

  it('of members of a workspace', async () => {
    const directory = new AccountDirectory(...sources);
    const { found } = await directory.workspaceMembers(account.accountId, 'default', ALL);
    expect(found).toEqual({ userIds: [account.userId], total: 1 });
  });

  it('of events', async () => {
    const wanted = { filter: {}, limit: 3, cursor: undefined };
    const page = await new AuditDirectory(...sources).page(account.accountId, wanted);
    expect(page).toMatchObject({ events: { length: 3 } });
    expect(page.nextCursor).not.toBeNull();
  });
});
