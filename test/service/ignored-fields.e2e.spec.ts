import { beforeAll, describe, expect, it } from '@jest/globals';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { accountOf, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';

const service = runningApp();
const account = accountOf(service);
const STRICT = { headers: { Prefer: 'handling=strict' } };

const ignoredIn = ({ headers }: Answer): string | null => headers.get('keyledger-ignored');
const appliedIn = ({ headers }: Answer): string | null => headers.get('preference-applied');

describe('fields of a body that were ignored', () => {
  const create = (body: unknown): Promise<Answer> => account.client.post('/v1/keys', body);
  let hash = '';
  beforeAll(async () => {
    ({ hash } = (await createKey(account.client)).data);
    await account.client.post('/v1/workspaces', { name: 'Europe', slug: 'eu' });
  });

  it('are named in the answer, in the order of the body, those in an object with its name', async () => {
    const external = { user: 'ada', usr: 'ada', colour: { user: 1 } };
    const answer = await create({ expire_at: null, name: 'a', external, limits: 1 });
    expect(answer.status).toBe(201);
    expect(ignoredIn(answer)).toBe('expire_at, external.usr, external.colour, limits');
    expect(appliedIn(answer)).toBeNull();
  });

  it('are none in an answer to known fields alone', async () => {
    expect(
      ignoredIn(await create({ name: 'a', external: { user: 'ada', api_key: 'b' } })),
    ).toBeNull();
    expect(ignoredIn(await account.client.get('/v1/keys'))).toBeNull();
  });

  it.each([
    ['PUT', '/v1/keys/{new}', { name: 'a', limits: 1 }, 'limits'],
    ['PATCH', '/v1/keys/{hash}', { name: 'b', expires_at: null }, 'expires_at'],
    ['POST', '/v1/workspaces', { name: 'a', names: [] }, 'names'],
    ['PATCH', '/v1/workspaces/default', { name: 'Default', slugs: 1 }, 'slugs'],
    ['POST', '/v1/workspaces/eu/members/add', { user_ids: ['user-ada'], user_id: 1 }, 'user_id'],
    ['POST', '/v1/workspaces/eu/members/remove', { user_ids: ['user-ada'], all: true }, 'all'],
  ])('are named by %s %s', async (method, path, body, named) => {
    const target = path.replace('{hash}', hash).replace('{new}', '5'.repeat(64));
    expect(ignoredIn(await account.client.send(method, target, { body }))).toBe(named);
    const strict = await account.client.send(method, target, { ...STRICT, body });
    expect(errorOf(strict, 400).reason).toBe('unknown-field');
  });

  it.each([
    ['a fault of shape', { name: 5, colour: 1 }, 400],
    ['no field to update', { colour: 1 }, 400],
    ['a workspace that is unknown', { workspace_id: 'none', colour: 1 }, 400],
  ])('are named by a refusal for %s', async (_, body, status) => {
    const answer = await account.client.patch(`/v1/keys/${hash}`, body);
    errorOf(answer, status);
    expect(ignoredIn(answer)).toBe('colour');
    const unknown = await account.client.patch(`/v1/keys/${'0'.repeat(64)}`, {
      name: 'a',
      colour: 1,
    });
    errorOf(unknown, 404);
    expect(ignoredIn(unknown)).toBe('colour');
  });

  it('are named up to 20, those with long or odd names not among them', async () => {
    const odd = ['', 'a b', 'a,b', 'ä', 'a\r\nb: c', 'a:', 'x'.repeat(33)];
    const plain = Array.from({ length: 25 }, (_, nth) => `field-${nth}_.`);
    const fields = [...odd, 'y'.repeat(32), ...plain].map((name) => [name, 1]);
    const answer = await create({ name: 'a', ...Object.fromEntries(fields) });
    expect(answer.status).toBe(201);
    expect(ignoredIn(answer)).toBe(['y'.repeat(32), ...plain.slice(0, 19)].join(', '));
    const inner = await create(`{"name":"a","external":{"user":"ada","${'u'.repeat(24)}":1}}`);
    expect(ignoredIn(inner)).toBeNull();
    const odder = await create('{"name":"a","__proto__":{"limit":1},"constructor":2}');
    expect(ignoredIn(odder)).toBe('__proto__, constructor');
  });

  it('are none where a body is refused for a key string', async () => {
    const { key } = await createKey(account.client);
    for (const body of [
      { colour: 1, name: key },
      { colour: 1, name: 'a', [key]: 1 },
    ]) {
      const answer = await create(body);
      errorOf(answer, 400);
      expect(ignoredIn(answer)).toBeNull();
    }
  });
});

describe('a caller who prefers strict handling', () => {
  const create = (body: unknown, Prefer = 'handling=strict'): Promise<Answer> =>
    account.client.post('/v1/keys', body, { headers: { Prefer } });

  it('is refused for unknown fields, each with the nearest known one, before other faults', async () => {
    const before = await stateOf(service);
    const external = { usr: 'ada', zzzz: 1 };
    const answer = await create({ expire_at: null, name: 5, external, qqqq: 1 });
    const { reason, metadata } = errorOf(answer, 400);
    expect(reason).toBe('unknown-field');
    expect(metadata).toEqual({
      issues: [
        {
          path: 'expire_at',
          message: 'is not a field of this request; the nearest one is expires_at',
        },
        {
          path: 'external.usr',
          message: 'is not a field of this request; the nearest one is external.user',
        },
        { path: 'external.zzzz', message: 'is not a field of this request' },
        { path: 'qqqq', message: 'is not a field of this request' },
      ],
    });
    expect(appliedIn(answer)).toBe('handling=strict');
    expect(ignoredIn(answer)).toBe('expire_at, external.usr, external.zzzz, qqqq');
    expect(await stateOf(service)).toEqual(before);
  });

  it('is told with every success that the preference was applied, and with no other error', async () => {
    const answer = await create({ name: 'a', limit: 1 });
    expect({ status: answer.status, applied: appliedIn(answer) }).toEqual({
      status: 201,
      applied: 'handling=strict',
    });
    const invalid = await create({ name: 5 });
    expectInvalid(invalid, account, 'name');
    expect(appliedIn(invalid)).toBeNull();
  });

  it.each([
    ['HANDLING = "Strict"', 400],
    ['respond-async, handling=strict; a=b, wait=1', 400],
    ['handling=strict, handling=lenient', 400],
    ['handling=lenient, handling=strict', 201],
    ['handling=strictly', 201],
    ['handling', 201],
    ['not-handling=strict', 201],
    ['a="b, handling=strict"', 201],
    ['a="b, handling=strict, c"', 201],
    ['a="b, handling=lenient, c", handling=strict', 400],
    ['a="b\\", handling=lenient, c", handling=strict', 400],
    ['wait=1; a="handling=lenient, c"; b , handling="strict"', 400],
    ['foo; handling=strict', 201],
  ])('says so by Prefer: %s → %i', async (prefer, status) => {
    expect((await create({ name: 'a', colour: 1 }, prefer)).status).toBe(status);
  });

  it('is told of 100 unknown fields by name, and of the number of the others', async () => {
    const names = Array.from({ length: 5_000 }, (_, nth) => [`field-${nth}`, 1]);
    const { metadata } = errorOf(await create(Object.fromEntries(names)), 400);
    const { issues } = metadata as { readonly issues: readonly object[] };
    expect(issues).toHaveLength(101);
    expect(issues.at(-1)).toEqual({ path: '', message: 'has 4900 more faults' });
  });

  it('is not told of the preference where unknown fields are refused anyway', async () => {
    const answer = await account.client.post('/v1/end-users', { user: 'ada' }, STRICT);
    expect({ status: answer.status, applied: appliedIn(answer) }).toEqual({
      status: 201,
      applied: null,
    });
  });
});
