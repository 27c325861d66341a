import { describe, expect, it } from '@jest/globals';
import { OpenRouter } from '@openrouter/sdk';
import { NotFoundResponseError, ResponseValidationError } from '@openrouter/sdk/models/errors';
import { read, tableRows } from '../docs/markdown.js';
import { runningApp } from '../harness/running-app.js';

describe('the official client, of workspaces,', () => {
  const service = runningApp();

  function clientOf(apiKey: string): OpenRouter {
    const serverURL = `${service.address}/v1`;
    return new OpenRouter({ apiKey, serverURL, retryConfig: { strategy: 'none' } });
  }

  it('creates, lists, reads, updates and deletes a workspace, and takes the answers for valid', async () => {
    const account = await service.openAccount();
    const { workspaces } = clientOf(account.managementKey);
    const { data: made } = await workspaces.create({
      createWorkspaceRequest: { name: 'Europe', slug: 'eu' },
    });
    expect(made).toMatchObject({
      name: 'Europe',
      slug: 'eu',
      description: null,
      createdBy: account.userId,
      updatedAt: null,
      defaultGuardrailId: '',
      defaultTextModel: null,
      ioLoggingApiKeyIds: null,
      ioLoggingSamplingRate: 0,
      isObservabilityIoLoggingEnabled: false,
    });
    const pages = [];
    for await (const { result } of await workspaces.list({ limit: 1 })) pages.push(result);
    expect(pages.flatMap(({ data }) => data.map(({ slug }) => slug))).toEqual(['default', 'eu']);
    expect(pages[0]?.totalCount).toBe(2);
    expect((await workspaces.get({ id: 'eu' })).data).toEqual(made);
    const renamed = { id: made.id, updateWorkspaceRequest: { name: 'EU', description: 'Old' } };
    const updated = await workspaces.update(renamed);
    expect(updated.data).toMatchObject({ id: made.id, name: 'EU', description: 'Old' });
    expect(await workspaces.delete({ id: made.id })).toEqual({ deleted: true });
    await expect(workspaces.get({ id: made.id })).rejects.toThrow(NotFoundResponseError);
  });

  it('refuses its own reading of members, who are added and removed nevertheless', async () => {
    const account = await service.openAccount();
    const { workspaces } = clientOf(account.managementKey);
    const { data: made } = await workspaces.create({
      createWorkspaceRequest: { name: 'Europe', slug: 'eu' },
    });
    const request = { userIds: [account.userId] };
    const add = () =>
      workspaces.bulkAddMembers({ id: made.id, bulkAddWorkspaceMembersRequest: request });
    await expect(add()).rejects.toThrow(ResponseValidationError);
    expect((await add()).addedCount).toBe(0);
    await expect(workspaces.listMembers({ id: made.id })).rejects.toMatchObject({
      rawValue: { Result: { data: [{ user_id: account.userId }], total_count: 1 } },
    });
    const removed = await workspaces.bulkRemoveMembers({
      id: made.id,
      bulkRemoveWorkspaceMembersRequest: request,
    });
    expect(removed).toEqual({ removedCount: 1 });
    const none = await workspaces.listMembers({ id: made.id });
    expect(none.result).toEqual({ data: [], totalCount: 0 });
  });

  it('is told 404 of budgets, which the service does not have', async () => {
    const { workspaces } = clientOf(service.managementKey);
    const at = { workspaceRef: 'default' };
    const calls = [
      () => workspaces.listBudgets(at),
      () => workspaces.getBudget({ ...at, interval: 'daily' }),
      () =>
        workspaces.setBudget({
          ...at,
          interval: 'daily',
          upsertWorkspaceBudgetRequest: { limitUsd: 5 },
        }),
      () => workspaces.deleteBudget({ ...at, interval: 'daily' }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ statusCode: 404 });
  });

  it('has all of its operations on keys and workspaces in docs/official-client.md', async () => {
    const { apiKeys, workspaces } = clientOf(service.managementKey);
    const operations = Object.entries({ apiKeys, workspaces }).flatMap(([name, group]) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(group))
        .filter((method) => method !== 'constructor')
        .map((method) => `${name}.${method}`),
    );
    const told = tableRows(read('docs/official-client.md').split('\n## ')[0] ?? '');
    expect(told.map(([call]) => call?.trim()).toSorted()).toEqual(operations.toSorted());
    const { version } = JSON.parse(read('node_modules/@openrouter/sdk/package.json')) as {
      version: string;
    };
    expect(read('docs/official-client.md')).toContain(`Version ${version} was tried`);
  });
});
