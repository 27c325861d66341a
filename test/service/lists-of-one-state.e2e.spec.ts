import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AccountDirectory } from '../../src/features/accounts/account-directory/account-directory.js';
import { AuditDirectory } from '../../src/features/audit-trail/audit-directory/audit-directory.js';
import { EndUserDirectory } from '../../src/features/end-users/end-user-directory/end-user-directory.js';
import { KeyDirectory } from '../../src/features/keys/key-directory/key-directory.js';
import { ReadModels } from '../../src/event-sourcing/projections/read-models.js';
import { createKey } from '../support/harness/api-keys.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';

const ALL = { offset: 0, limit: 10 };

describe('a list is read in one snapshot', () => {
  const service = runningApp();
  let account: TestAccount;
  let models: ReadModels;
  let reads: () => number;

  beforeAll(async () => {
    account = await service.openAccount();
    for (const user of ['ada', 'bob']) await account.client.post('/v1/end-users', { user });
    await account.client.send('DELETE', '/v1/end-users/bob');
    await createKey(account.client);
    models = service.app.get<ReadModels>(MANAGEMENT.models);
    const read = jest.spyOn(models, 'read');
    reads = () => read.mock.calls.length;
  });

  afterEach(() => {
    expect(reads()).toBe(1);
    jest.clearAllMocks();
  });

  it.each([
    [true, 2],
    [false, 1],
  ])('of end users, with inactive ones: %s', async (includeInactive, total) => {
    const directory = new EndUserDirectory(models);
    const { found } = await directory.page(account.accountId, { ...ALL, includeInactive });
    expect(found).toMatchObject({ total, documents: { length: total } });
  });

  it.each([true, false])('of keys, with disabled ones: %s', async (includeDisabled) => {
    const directory = new KeyDirectory(models);
    const wanted = { ...ALL, workspaceId: undefined, filter: undefined, includeDisabled };
    const { found } = await directory.page(account.accountId, wanted);
    expect(found).toMatchObject({ total: 1, documents: { length: 1 } });
  });

  it('of workspaces', async () => {
    const { found } = await new AccountDirectory(models).workspaces(account.accountId, ALL);
    expect(found).toMatchObject({ total: 1, documents: { length: 1 } });
  });

  it('of members of a workspace', async () => {
    const directory = new AccountDirectory(models);
    const { found } = await directory.workspaceMembers(account.accountId, 'default', ALL);
    expect(found).toMatchObject({ documents: [{ user_id: account.userId }], total: 1 });
  });

  it('of events', async () => {
    const { found } = await new AuditDirectory(models).list(account.accountId, {}).page(3);
    expect(found).toMatchObject({ records: { length: 3 } });
    expect(found.next).not.toBeNull();
  });
});
