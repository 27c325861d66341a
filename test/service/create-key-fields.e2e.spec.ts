import { describe, expect, it } from '@jest/globals';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import { accountOf, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';

const service = runningApp();

const LONGEST = '𝒳'.repeat(512);
const TOO_LONG = `${LONGEST}x`;

const EXPIRIES: readonly (readonly [string, string])[] = [
  ['2031-01-02T03:04:05Z', '2031-01-02T03:04:05.000Z'],
  ['2031-01-02T03:04:05.1Z', '2031-01-02T03:04:05.100Z'],
  ['2031-01-02T03:04:05.123Z', '2031-01-02T03:04:05.123Z'],
  ['2031-01-02T03:04:05.9999999Z', '2031-01-02T03:04:05.999Z'],
  [`2031-01-02T03:04:05.${'0'.repeat(500)}1Z`, '2031-01-02T03:04:05.000Z'],
  ['2028-02-29T23:59:59Z', '2028-02-29T23:59:59.000Z'],
  ['1999-12-31T23:59:59Z', '1999-12-31T23:59:59.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
];

/** These texts stand for all that `utc-timestamp.spec.ts` refuses. */
const NO_EXPIRIES: readonly unknown[] = [
  ...['2031-01-02T03:04:05+00:00', '2031-02-29T03:04:05Z', ''],
  ...[1_924_992_000, true, {}, ['2031-01-02T03:04:05Z']],
];

/** Fields with values that they refuse. */
const REFUSED: readonly (readonly [string, readonly unknown[]])[] = [
  ['name', [undefined, null, '', 5, true, {}, ['a'], 'a\0b', TOO_LONG, 'n'.repeat(20_000)]],
  ['creator_user_id', ['', 5, false, {}, ['ada'], 'a\0b', TOO_LONG]],
  ['expires_at', NO_EXPIRIES],
  ['include_byok_in_limit', ['true', 'false', 0, 1, '', {}, [true]]],
  ['limit', ['5', '', '0', true, false, {}, [5], -1, -0.01, -1e-300]],
  ['limit_reset', ['', 'Daily', 'yearly', 'null', 1, true, {}, ['daily']]],
  ['workspace_id', ['', 5, true, {}, ['x'], 'x'.repeat(65)]],
  ['external', ['ada', 5, true, [], [{ user: 'ada' }]]],
];

const REFUSED_EXTERNAL: readonly (readonly [string, object])[] = [
  ['external.user', {}],
  ['external.user', { lookup_key: 'k' }],
  ['external.user', { user: null }],
  ['external.user', { user: '' }],
  ['external.user', { user: 5 }],
  ['external.user', { user: ' ada' }],
  ['external.user', { user: 'ada\n' }],
  ['external.user', { user: 'a\0a' }],
  ['external.user', { user: `${LONGEST}x` }],
  ['external.lookup_key', { user: 'ada', lookup_key: '' }],
  ['external.lookup_key', { user: 'ada', lookup_key: 5 }],
  ['external.lookup_key', { user: 'ada', lookup_key: `${LONGEST}x` }],
  ['external.api_key', { user: 'ada', api_key: '' }],
  ['external.api_key', { user: 'ada', api_key: ['k'] }],
  ['external.api_key', { user: 'ada', api_key: `${LONGEST}x` }],
  ['external.api_key', { user: 'ada', lookup_key: 'one', api_key: 'two' }],
  ['external.api_key', { user: 'ada', lookup_key: 'one', api_key: 'one' }],
];

describe('the fields of a new key', () => {
  const account = accountOf(service);

  async function expectRefused(body: unknown, path: string): Promise<void> {
    const before = await stateOf(service);
    expectInvalid(await account.client.post('/v1/keys', body), account, path);
    expect(await stateOf(service)).toEqual(before);
  }

  it.each(EXPIRIES)('takes %s as an expiry and cuts it to the millisecond', async (sent, kept) => {
    const { data } = await createKey(account.client, { expires_at: sent });
    expect(data.expires_at).toBe(kept);
  });

  it.each([0, 0.1, 0.3, 5, 25.5, 1e-7, 1e21, Number.MAX_VALUE, null])(
    'takes %p as a limit and gives it back as it was',
    async (limit) => {
      const { data } = await createKey(account.client, { limit });
      expect(data).toMatchObject({ limit, limit_remaining: limit });
    },
  );

  it.each(['daily', 'weekly', 'monthly', null])('takes %p as a reset', async (limit_reset) => {
    const { data } = await createKey(account.client, { limit_reset });
    expect(data.limit_reset).toBe(limit_reset);
  });

  it.each([true, false])('takes %p for BYOK in the limit', async (include_byok_in_limit) => {
    const { data } = await createKey(account.client, { include_byok_in_limit });
    expect(data.include_byok_in_limit).toBe(include_byok_in_limit);
  });

  it.each([
    ['x', 'one letter'],
    [' ', 'a space'],
    ['\u{1F511}', 'an astral character'],
    [LONGEST, 'the longest, of characters that are two units each'],
  ])('takes any name of 1 to 512 characters (%#: $1)', async (name) => {
    const { data } = await createKey(account.client, { name });
    expect(data).toMatchObject({ name, label: name });
  });

  it('takes a creator of 512 characters, and looks for a workspace of 64', async () => {
    const { data } = await createKey(account.client, { creator_user_id: LONGEST });
    expect(data.creator_user_id).toBe(LONGEST);
    const body = { name: 'a key', workspace_id: '𝒳'.repeat(64) };
    expect(errorOf(await account.client.post('/v1/keys', body), 400).message).toBe(
      'Unknown workspace',
    );
  });

  it('takes an external user and a lookup key of 1 and of 512 characters', async () => {
    await createKey(account.client, { external: { user: 'u', lookup_key: 'k' } });
    await createKey(account.client, { external: { user: LONGEST, lookup_key: LONGEST } });
    await createKey(account.client, { external: { user: LONGEST, api_key: LONGEST } });
  });

  it.each(REFUSED.flatMap(([field, values]) => values.map((value) => [field, value] as const)))(
    'refuses %s %p and writes nothing',
    (field, value) => expectRefused({ name: 'a key', [field]: value }, field),
  );

  it.each(REFUSED_EXTERNAL)('refuses %s in %j and writes nothing', (path, external) =>
    expectRefused({ name: 'a key', external }, path),
  );

  it.each(['1e400', '-1e400', '1e309'])(
    'refuses a limit of %s, which is no finite number',
    (limit) => expectRefused(`{"name":"a key","limit":${limit}}`, 'limit'),
  );

  it.each([
    ['name', '{"name":"a\\ud800"}'],
    ['name', '{"name":"\\udc00\\ud800"}'],
    ['creator_user_id', '{"name":"a","creator_user_id":"\\udfff"}'],
    ['workspace_id', '{"name":"a","workspace_id":"\\ud800"}'],
    ['external.user', '{"name":"a","external":{"user":"\\ud800"}}'],
    ['external.lookup_key', '{"name":"a","external":{"user":"u","lookup_key":"\\ud800"}}'],
  ])('refuses a lone surrogate in %s', (path, body) => expectRefused(body, path));

  it.each(['default', '00000000-0000-4000-8000-000000000000'])(
    'refuses %p, which is no workspace of the account',
    async (workspace_id) => {
      const before = await stateOf(service);
      const answer = await account.client.post('/v1/keys', { name: 'a', workspace_id });
      const { message, paths } = errorOf(answer, 400);
      expect({ message, paths }).toEqual({ message: 'Unknown workspace', paths: ['workspace_id'] });
      expect(await stateOf(service)).toEqual(before);
    },
  );

  it('refuses a workspace of another account exactly as one that does not exist', async () => {
    const { defaultWorkspaceId: foreign } = await service.openAccount();
    const headers = { 'X-Request-Id': 'the-same' };
    const answers = await Promise.all(
      [foreign, '00000000-0000-4000-8000-000000000000'].map((workspace_id) =>
        account.client.post('/v1/keys', { name: 'a', workspace_id }, { headers }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
  });

  it('names every offending field at once', async () => {
    const answer = await account.client.post('/v1/keys', {
      creator_user_id: '',
      expires_at: '2031-01-02T03:04Z',
      external: { user: '', lookup_key: '' },
      include_byok_in_limit: 1,
      limit: '5',
      limit_reset: 'never',
      workspace_id: 5,
    });
    expect(errorOf(answer, 400).paths).toEqual([
      'creator_user_id',
      'expires_at',
      'external.lookup_key',
      'external.user',
      'include_byok_in_limit',
      'limit',
      'limit_reset',
      'name',
      'workspace_id',
    ]);
  });

  it('names a lookup key given under both its names beside the other offending fields', async () => {
    const answer = await account.client.post('/v1/keys', {
      name: 'a key',
      limit: -1,
      external: { user: 'ada', lookup_key: 'one', api_key: 'two' },
    });
    expect(errorOf(answer, 400).paths).toEqual(['external.api_key', 'limit']);
  });

  it('names the expected form in each issue, without the sent value', async () => {
    const answer = await account.client.post('/v1/keys', { name: 'a', limit: 'sesame' });
    expect(errorOf(answer, 400).metadata).toEqual({
      issues: [{ path: 'limit', message: 'must be a finite number of at least 0' }],
    });
  });
});
