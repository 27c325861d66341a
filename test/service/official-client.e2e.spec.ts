import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { OpenRouter } from '@openrouter/sdk';
import {
  BadRequestResponseError,
  ForbiddenResponseError,
  NotFoundResponseError,
  ResponseValidationError,
  TooManyRequestsResponseError,
  UnauthorizedResponseError,
} from '@openrouter/sdk/models/errors';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import { runningApp } from '../support/harness/running-app.js';

describe('the official client', () => {
  const service = runningApp({ RATE_LIMIT_KEY_CREATION: '10/60s' });

  function clientOf(apiKey: string): OpenRouter {
    const serverURL = `${service.address}/v1`;
    return new OpenRouter({ apiKey, serverURL, retryConfig: { strategy: 'none' } });
  }

  async function newClient(): Promise<OpenRouter> {
    return clientOf((await service.openAccount()).managementKey);
  }

  it('creates a key with every field and takes the answer for valid', async () => {
    const account = await service.openAccount();
    const created = await clientOf(account.managementKey).apiKeys.create({
      requestBody: {
        name: 'Analytics',
        creatorUserId: 'ada',
        expiresAt: new Date('2031-02-03T04:05:06.789Z'),
        external: { user: 'customer-42', apiKey: 'a-lookup-key-of-32-characters-and-more' },
        includeByokInLimit: true,
        limit: 12.5,
        limitReset: 'monthly',
        workspaceId: account.defaultWorkspaceId,
      },
    });
    expect(created.data).toMatchObject({
      hash: createHash('sha256').update(created.key).digest('hex'),
      name: 'Analytics',
      label: 'Analytics',
      disabled: false,
      creatorUserId: 'ada',
      expiresAt: new Date('2031-02-03T04:05:06.789Z'),
      externalUser: null,
      includeByokInLimit: true,
      limit: 12.5,
      limitRemaining: 12.5,
      limitReset: 'monthly',
      updatedAt: null,
      usage: 0,
      workspaceId: account.defaultWorkspaceId,
    });
  });

  it('creates a key with a name alone, and with null where it may send null', async () => {
    const { apiKeys } = await newClient();
    const plain = await apiKeys.create({ requestBody: { name: 'plain' } });
    const nulls = await apiKeys.create({
      requestBody: {
        name: 'plain',
        creatorUserId: null,
        expiresAt: null,
        limit: null,
        limitReset: null,
      },
    });
    const { hash: _, createdAt: _created, ...rest } = plain.data;
    expect(nulls.data).toMatchObject(rest);
    expect(rest).toMatchObject({ limit: null, limitRemaining: null, expiresAt: null });
  });

  it('updates every field of a key and takes the answer for valid', async () => {
    const { apiKeys } = await newClient();
    const { data } = await apiKeys.create({ requestBody: { name: 'first', limit: 5 } });
    const changes = {
      name: 'second',
      disabled: true,
      includeByokInLimit: true,
      limit: 7.25,
      limitReset: 'weekly',
    } as const;
    const updated = await apiKeys.update({ hash: data.hash, requestBody: changes });
    expect(updated.data).toMatchObject({ hash: data.hash, label: 'second', ...changes });
    expect(updated.data.updatedAt).not.toBeNull();
    const cleared = await apiKeys.update({
      hash: data.hash,
      requestBody: { limit: null, limitReset: null },
    });
    expect(cleared.data).toMatchObject({ limit: null, limitRemaining: null, limitReset: null });
  });

  it('takes every error for one of its own kinds, with the message and the code', async () => {
    const management = await newClient();
    const { apiKeys } = management;
    const { data, key } = await apiKeys.create({ requestBody: { name: 'a' } });
    await expect(clientOf('nobody').apiKeys.create({ requestBody: { name: 'a' } })).rejects.toThrow(
      UnauthorizedResponseError,
    );
    await expect(clientOf(key).apiKeys.create({ requestBody: { name: 'a' } })).rejects.toThrow(
      ForbiddenResponseError,
    );
    await expect(apiKeys.create({ requestBody: { name: '' } })).rejects.toThrow(
      BadRequestResponseError,
    );
    await expect(
      apiKeys.update({ hash: UNKNOWN_HASH, requestBody: { name: 'b' } }),
    ).rejects.toThrow(NotFoundResponseError);
    await expect(apiKeys.update({ hash: data.hash, requestBody: {} })).rejects.toMatchObject({
      statusCode: 400,
      error: { code: 400, message: 'No update fields provided' },
    });
  });

  it('lists keys, reads one and deletes it, and takes the answers for valid', async () => {
    const { apiKeys } = await newClient();
    const first = await apiKeys.create({ requestBody: { name: 'first', limit: 5 } });
    const second = await apiKeys.create({ requestBody: { name: 'second' } });
    await apiKeys.update({ hash: second.data.hash, requestBody: { disabled: true } });
    const hashesOf = async (query: Parameters<typeof apiKeys.list>[0]): Promise<string[]> =>
      (await apiKeys.list(query)).data.map(({ hash }) => hash);
    expect(await hashesOf({})).toEqual([first.data.hash]);
    const everything = { includeDisabled: true, workspaceId: 'all' };
    expect(await hashesOf(everything)).toEqual([second.data.hash, first.data.hash]);
    expect(await hashesOf({ ...everything, offset: 1 })).toEqual([first.data.hash]);
    const { hash } = first.data;
    expect((await apiKeys.get({ hash })).data).toEqual(first.data);
    expect(await apiKeys.delete({ hash })).toEqual({ deleted: true });
    await expect(apiKeys.get({ hash })).rejects.toThrow(NotFoundResponseError);
    await expect(apiKeys.delete({ hash })).rejects.toThrow(NotFoundResponseError);
    expect(await hashesOf(everything)).toEqual([second.data.hash]);
  });

  it('asks with a key of either kind what the key itself is', async () => {
    const account = await service.openAccount();
    const management = clientOf(account.managementKey).apiKeys;
    const expiresAt = new Date('2031-02-03T04:05:06.789Z');
    const { key, data } = await management.create({
      requestBody: { name: 'gateway', limit: 5, limitReset: 'daily', expiresAt },
    });
    expect((await clientOf(key).apiKeys.getCurrentKeyMetadata()).data).toMatchObject({
      label: 'gateway',
      limit: 5,
      limitRemaining: 5,
      limitReset: 'daily',
      expiresAt,
      creatorUserId: account.userId,
      workspaceId: account.defaultWorkspaceId,
      organizationId: account.accountId,
      isManagementKey: false,
    });
    expect((await management.getCurrentKeyMetadata()).data).toMatchObject({
      limit: null,
      creatorUserId: account.userId,
      workspaceId: null,
      isManagementKey: true,
    });
    await management.update({ hash: data.hash, requestBody: { disabled: true } });
    await expect(clientOf(key).apiKeys.getCurrentKeyMetadata()).rejects.toThrow(
      UnauthorizedResponseError,
    );
  });

  it('refuses its own reading of a key with an identity, and keeps the answer', async () => {
    const { apiKeys } = await newClient();
    const { data } = await apiKeys.create({
      requestBody: { name: 'partner', external: { user: 'customer-42' } },
    });
    const { hash } = data;
    const throwing = [
      () => apiKeys.list(),
      () => apiKeys.get({ hash }),
      () => apiKeys.update({ hash, requestBody: { name: 'renamed' } }),
    ];
    for (const call of throwing) await expect(call()).rejects.toThrow(ResponseValidationError);
    await expect(apiKeys.get({ hash })).rejects.toMatchObject({
      rawValue: { data: { name: 'renamed', external_user: { user: 'customer-42' } } },
    });
    expect(await apiKeys.delete({ hash })).toEqual({ deleted: true });
    expect((await apiKeys.list()).data).toEqual([]);
  });

  it('takes a refusal by the rate limit for one', async () => {
    const { apiKeys } = await newClient();
    for (let count = 0; count < 10; count += 1) {
      await apiKeys.create({ requestBody: { name: 'a' } });
    }
    await expect(apiKeys.create({ requestBody: { name: 'a' } })).rejects.toThrow(
      TooManyRequestsResponseError,
    );
  });
});
