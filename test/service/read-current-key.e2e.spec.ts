import { beforeAll, describe, expect, it } from '@jest/globals';
import { NEW_KEY } from '../support/histories/accounts.js';
import { CommandBus } from '@nestjs/cqrs';
import { CreateManagementKey } from '../../src/features/accounts/management-keys.commands.js';
import { hashKeyString, mintKeyString } from '../../src/kernel/key-string.js';
import { ReadModels } from '../../src/event-sourcing/projections/read-models.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import type { Answer } from '../support/harness/http-client.js';
import {
  OPERATOR,
  runningApp,
  startApp,
  type TestAccount,
} from '../support/harness/running-app.js';
import { appendUnreadable } from '../support/harness/unreadable-event.js';
import { makeWorkspace } from '../support/harness/workspaces.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';

const NO_USAGE = {
  usage: 0,
  usage_daily: 0,
  usage_weekly: 0,
  usage_monthly: 0,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
};

const CONSTANT = {
  is_free_tier: false,
  allowed_data_regions: ['global'],
  free_model_daily_requests: { limit: 0, remaining: 0, used: 0 },
  rate_limit: { requests: -1, interval: expect.any(String), note: expect.any(String) },
};

describe('a key that asks about itself', () => {
  const service = runningApp();
  let account: TestAccount;

  beforeAll(async () => {
    account = await service.openAccount();
  });

  const ask = (key: string): Promise<Answer> => service.client.as(key).get('/v1/key');

  function expectRefused(answer: Answer, message: string): void {
    const refusal = errorOf(answer, 401);
    expect(refusal).toMatchObject({ message, metadata: null, userId: null });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }

  it('reads itself as an API key', async () => {
    const { key } = await createKey(account.client, {
      name: 'gateway',
      creator_user_id: 'grace',
      limit: 7.5,
      limit_reset: 'weekly',
      include_byok_in_limit: true,
      expires_at: '2100-01-01T00:00:00Z',
      external: { user: 'customer-42' },
    });
    const answer = await ask(key);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: {
        label: 'gateway',
        limit: 7.5,
        limit_remaining: 7.5,
        limit_reset: 'weekly',
        include_byok_in_limit: true,
        ...NO_USAGE,
        expires_at: '2100-01-01T00:00:00.000Z',
        creator_user_id: 'grace',
        workspace_id: account.defaultWorkspaceId,
        organization_id: account.accountId,
        is_management_key: false,
        is_provisioning_key: false,
        hash: hashKeyString(key),
        role: null,
        string_ends_at: null,
        account: null,
        ...CONSTANT,
      },
    });
  });

  it('reads itself as a management key', async () => {
    expect((await ask(account.managementKey)).body).toEqual({
      data: {
        label: 'mk-v1-...',
        limit: null,
        limit_remaining: null,
        limit_reset: null,
        include_byok_in_limit: false,
        ...NO_USAGE,
        expires_at: null,
        creator_user_id: account.userId,
        workspace_id: null,
        organization_id: account.accountId,
        is_management_key: true,
        is_provisioning_key: true,
        hash: hashKeyString(account.managementKey),
        role: 'admin',
        string_ends_at: null,
        account: { id: account.accountId, kind: 'organization', name: expect.any(String) },
        ...CONSTANT,
      },
    });
  });

  it('that is a management key with a name has that as its label', async () => {
    const key = mintKeyString('mk-v1-');
    const { accountId, userId } = account;
    const wanted = { ...NEW_KEY, hash: hashKeyString(key), user_id: userId, name: 'for the tests' };
    await service.app.get(CommandBus).execute(new CreateManagementKey(accountId, wanted, OPERATOR));
    expect((await ask(key)).body).toMatchObject({ data: { label: 'for the tests' } });
  });

  it('of an individual has no organization', async () => {
    const individual = await service.openAccount('individual');
    const { key } = await createKey(individual.client);
    for (const own of [key, individual.managementKey]) {
      expect((await ask(own)).body).toMatchObject({ data: { organization_id: null } });
    }
  });

  it('reads its newest changes', async () => {
    const own = await service.openAccount('individual');
    const workspace_id = await makeWorkspace(service, own);
    const { key, data } = await createKey(own.client);
    for (const change of [{ limit: 3 }, { limit: null }, { workspace_id }]) {
      await own.client.patch(`/v1/keys/${data.hash}`, change);
      expect((await ask(key)).body).toMatchObject({ data: change });
    }
    await own.client.patch(`/v1/keys/${data.hash}`, { name: 'renamed' });
    expect((await ask(key)).body).toMatchObject({ data: { label: 'renamed' } });
  });

  it('is refused from the moment that it was disabled, until it is enabled', async () => {
    const { key, data } = await createKey(account.client);
    for (let round = 0; round < 10; round += 1) {
      await account.client.patch(`/v1/keys/${data.hash}`, { disabled: true });
      expectRefused(await ask(key), 'Key is disabled');
      await account.client.patch(`/v1/keys/${data.hash}`, { disabled: false });
      expect(await ask(key)).toMatchObject({ status: 200 });
    }
  });

  it('is refused when it has expired, and when it is disabled besides for that', async () => {
    const { key, data } = await createKey(account.client, { expires_at: '2001-01-01T00:00:00Z' });
    expectRefused(await ask(key), 'Key has expired');
    await account.client.patch(`/v1/keys/${data.hash}`, { disabled: true });
    expectRefused(await ask(key), 'Key is disabled');
  });

  it('is refused like everywhere without a key, or with an unknown one', async () => {
    expectRefused(
      await service.client.as(undefined).get('/v1/key'),
      'Missing Authentication header',
    );
    for (const key of ['x', mintKeyString('sk-v1-'), mintKeyString('mk-v1-')]) {
      expectRefused(await ask(key), 'Invalid API key');
    }
  });

  it('is named in the log of requests by its account', async () => {
    const own = await service.openAccount();
    const { key } = await createKey(own.client);
    const headers = { 'X-Request-Id': `about-${own.accountId}` };
    await service.client.as(key).get('/v1/key', { headers });
    const line = await eventually('the line', () =>
      service.logLines.find((logged) => logged.includes(`about-${own.accountId}`)),
    );
    expect(JSON.parse(line)).toMatchObject({ account_id: own.accountId, route: '/v1/key' });
  });

  it('is read as it is, and refused when disabled or deleted, also while the read models are stuck', async () => {
    const own = await startApp({ READ_YOUR_WRITES_TIMEOUT: '200ms' });
    try {
      const [disabled, deleted] = [await createKey(own.client), await createKey(own.client)];
      await own.client.get('/v1/keys');
      await appendUnreadable(own.app, 'ApiKeyCreated');
      const models = own.app.get<ReadModels>(MANAGEMENT.models);
      await eventually('the read models are stuck', () => models.state.phase === 'stuck');
      await own.client.patch(`/v1/keys/${disabled.data.hash}`, { disabled: true });
      await own.client.delete(`/v1/keys/${deleted.data.hash}`);
      const askThere = (key: string): Promise<Answer> => own.client.as(key).get('/v1/key');
      expectRefused(await askThere(disabled.key), 'Key is disabled');
      expectRefused(await askThere(deleted.key), 'Invalid API key');
      const fresh = await createKey(own.client, { name: 'fresh' });
      expect(await askThere(fresh.key)).toMatchObject({
        status: 200,
        body: { data: { label: 'fresh' } },
      });
    } finally {
      await own.stop();
    }
  });
});
