import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createKey, eventsOfKey, type OneKey } from '../support/harness/api-keys.js';
import { TIME } from '../support/harness/forms.js';
import { accountOfEach, runningApp } from '../support/harness/running-app.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

const service = runningApp();

const RECORD_FIELDS = [
  ...['hash', 'name', 'label', 'disabled', 'limit', 'limit_remaining', 'limit_reset'],
  ...['include_byok_in_limit', 'usage', 'usage_daily', 'usage_weekly', 'usage_monthly'],
  ...['byok_usage', 'byok_usage_daily', 'byok_usage_weekly', 'byok_usage_monthly'],
  ...['created_at', 'updated_at', 'expires_at', 'last_used_at', 'creator_user_id'],
  ...['workspace_id', 'external_user'],
];

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('creating a key', () => {
  const account = accountOfEach(service);

  it('answers 201 with the record and the key string, and with nothing else', async () => {
    const answer = await account.client.post<object>('/v1/keys', { name: 'plain' });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(Object.keys(answer.body).sort()).toEqual(['data', 'key']);
  });

  it('gives a record of exactly the fields of the interface, with the defaults of what was left out', async () => {
    const before = Date.now();
    const { data, key } = await createKey(account.client, { name: 'plain' });
    const after = Date.now();
    expect(Object.keys(data).sort()).toEqual([...RECORD_FIELDS].sort());
    const { created_at, ...rest } = data;
    expect(created_at).toMatch(TIME);
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(created_at)).toBeLessThanOrEqual(after);
    expect(rest).toEqual({
      hash: sha256(key),
      name: 'plain',
      label: 'plain',
      disabled: false,
      limit: null,
      limit_remaining: null,
      limit_reset: null,
      include_byok_in_limit: false,
      usage: 0,
      usage_daily: 0,
      usage_weekly: 0,
      usage_monthly: 0,
      byok_usage: 0,
      byok_usage_daily: 0,
      byok_usage_weekly: 0,
      byok_usage_monthly: 0,
      updated_at: null,
      expires_at: null,
      last_used_at: null,
      creator_user_id: account.userId,
      workspace_id: account.defaultWorkspaceId,
      external_user: null,
    });
  });

  it('gives back every field that was sent', async () => {
    const workspace_id = await makeWorkspace(service, account);
    const sent = {
      name: 'Schlüssel 🔑',
      creator_user_id: 'somebody-else',
      expires_at: '2031-02-03T04:05:06.789Z',
      include_byok_in_limit: true,
      limit: 12.34,
      limit_reset: 'weekly',
      workspace_id,
    };
    const { data } = await createKey(account.client, sent);
    expect(data).toMatchObject({ ...sent, label: sent.name, limit_remaining: 12.34 });
  });

  it('ignores unknown fields, at the top and in external', async () => {
    const { data } = await createKey(account.client, {
      colour: 'red',
      disabled: true,
      hash: 'mine',
      usage: 5,
      external: { user: 'ada', colour: 'red' },
    });
    expect(data).toMatchObject({ disabled: false, usage: 0 });
    expect(data.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(data).not.toHaveProperty('colour');
  });

  it('ignores a __proto__ field and lets it change nothing', async () => {
    const body = '{"name":"a","__proto__":{"limit":5,"disabled":true},"constructor":{"limit":5}}';
    const created = await account.client.post<OneKey>('/v1/keys', body);
    expect(created).toMatchObject({
      status: 201,
      body: { data: { limit: null, disabled: false } },
    });
    expect(Object.hasOwn(Object.prototype, 'limit')).toBe(false);
  });

  it('shows no external user when it creates and shows it from then on', async () => {
    const { data } = await createKey(account.client, { external: { user: 'ada@partner' } });
    expect(data.external_user).toBeNull();
    const updated = await account.client.patch<OneKey>(`/v1/keys/${data.hash}`, { name: 'b' });
    expect(updated.body.data.external_user).toEqual({ user: 'ada@partner' });
  });

  it.each(['lookup_key', 'api_key'])(
    'keeps external.%s as a SHA-256 hash alone, and never returns it',
    async (field) => {
      const secret = `lookup-${sha256(field).slice(0, 40)}`;
      const answer = await account.client.post<OneKey>('/v1/keys', {
        name: 'partner',
        external: { user: 'ada', [field]: secret },
      });
      expect(answer.status).toBe(201);
      const { hash } = answer.body.data;
      const updated = await account.client.patch(`/v1/keys/${hash}`, { name: 'b' });
      const events = await eventsOfKey(service, hash);
      expect(events[0]?.data).toMatchObject({
        external: { user: 'ada', lookup_key_hash: sha256(secret) },
      });
      expect(answer.text + updated.text + JSON.stringify(events)).not.toContain(secret);
      expect(answer.text + updated.text).not.toContain(sha256(secret));
    },
  );

  it('writes one event that says everything about the key but its string', async () => {
    const { data, key } = await createKey(account.client, { name: 'told', limit: 3 });
    const events = await eventsOfKey(service, data.hash);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      type: 'ApiKeyCreated',
      data: { hash: data.hash, account_id: account.accountId, name: 'told', limit: 3 },
      metadata: {
        account_id: account.accountId,
        actor: {
          type: 'management-key',
          id: sha256(account.managementKey),
          user_id: account.userId,
        },
      },
    });
    expect(JSON.stringify(events)).not.toContain(key);
  });
});
