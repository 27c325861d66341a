import { describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/harness/error-of.js';
import { TIME, UUID } from '../support/harness/forms.js';
import { accountOfEach, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import {
  createWorkspace,
  type OneWorkspace,
  type WorkspaceList,
} from '../support/harness/workspace-routes.js';

const service = runningApp();

const A_UUID = expect.stringMatching(UUID);
const A_TIME = expect.stringMatching(TIME);

describe('workspaces over HTTP', () => {
  const account = accountOfEach(service);

  it('are created with every field, and read back by id and by slug', async () => {
    const wanted = {
      name: 'Europe & more',
      slug: 'eu-1',
      description: 'Old world',
      restrictions: ['zdr', 'eu-only', 'zdr'],
    };
    const created = await account.client.post<OneWorkspace>('/v1/workspaces', wanted);
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      data: {
        id: A_UUID,
        name: 'Europe & more',
        slug: 'eu-1',
        description: 'Old world',
        restrictions: ['eu-only', 'zdr'],
        is_default: false,
        created_by: account.userId,
        created_at: A_TIME,
        updated_at: null,
      },
    });
    for (const named of [created.body.data.id, 'eu-1']) {
      const read = await account.client.get(`/v1/workspaces/${named}`);
      expect(read).toMatchObject({ status: 200, body: created.body });
    }
  });

  it('created at once under one name get slugs that differ; of one slug they get one', async () => {
    const named = await Promise.all(
      Array.from({ length: 10 }, () => createWorkspace(account.client, { name: 'Same' })),
    );
    expect(new Set(named.map(({ slug }) => slug)).size).toBe(10);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        account.client.post('/v1/workspaces', { name: 'One', slug: 'only-one' }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  });

  it('have slugs that are unique in their account alone', async () => {
    await createWorkspace(account.client, { slug: 'eu' });
    const refused = await account.client.post('/v1/workspaces', { name: 'a', slug: 'eu' });
    errorOf(refused, 409);
    const other = await service.openAccount();
    expect(await createWorkspace(other.client, { slug: 'eu' })).toMatchObject({ slug: 'eu' });
  });

  it.each([
    ['name', { name: '' }],
    ['name', { name: ' \t\u3000\ufeff' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: null }],
    ['name', { name: 5 }],
    ['name', { name: 'a\0' }],
    ['name', { name: '\ud800' }],
    ['slug', { slug: '' }],
    ['slug', { slug: 'A' }],
    ['slug', { slug: 'a--b' }],
    ['slug', { slug: '-a' }],
    ['slug', { slug: 'x'.repeat(51) }],
    ['slug', { slug: '00000000-0000-4000-8000-000000000001' }],
    ['description', { description: 'x'.repeat(501) }],
    ['description', { description: 5 }],
    ['description', { description: 'a\0' }],
    ['description', { description: '\udc00a' }],
    ['restrictions', { restrictions: 'eu-only' }],
    ['restrictions', { restrictions: [''] }],
    ['restrictions', { restrictions: [5] }],
    ['restrictions', { restrictions: ['a\0'] }],
    ['restrictions', { restrictions: ['eu-only', '\ud800'] }],
    ['restrictions', { restrictions: ['eu-only', ' \u0085'] }],
    ['restrictions', { restrictions: [`${'💶'.repeat(64)}x`] }],
    ['restrictions', { restrictions: Array(33).fill('x') }],
  ])(
    'are refused for their %s in %j, created and updated, and nothing happens',
    async (path, wrong) => {
      const before = await stateOf(service);
      const created = await account.client.post('/v1/workspaces', { name: 'a', ...wrong });
      expect(errorOf(created, 400).paths).toEqual([path]);
      const updated = await account.client.patch('/v1/workspaces/default', wrong);
      expect(errorOf(updated, 400).paths).toEqual([path]);
      expect(await stateOf(service)).toEqual(before);
    },
  );

  it('take fields at their bounds, in code points, and ignore unknown fields', async () => {
    const wanted = {
      name: '💶'.repeat(100),
      slug: 'x'.repeat(50),
      description: '💶'.repeat(500),
      restrictions: Array.from({ length: 32 }, (_, count) => `${'💶'.repeat(62)}${10 + count}`),
    };
    const { id } = await createWorkspace(account.client, { ...wanted, colour: 'red' });
    const { body } = await account.client.get<OneWorkspace>(`/v1/workspaces/${id}`);
    expect(body.data).toMatchObject({ ...wanted, restrictions: [...wanted.restrictions].sort() });
    expect(body.data).not.toHaveProperty('colour');
    expect((await createWorkspace(account.client, { description: '' })).description).toBe('');
  });

  it('are updated in what is given, by id or by slug', async () => {
    const made = await createWorkspace(account.client, { name: 'a', slug: 'a' });
    const changes = { name: 'b', slug: 'b', description: 'c', restrictions: ['d'] };
    const updated = await account.client.patch<OneWorkspace>('/v1/workspaces/a', changes);
    expect(updated).toMatchObject({ status: 200 });
    expect(updated.body.data).toEqual({ ...made, ...changes, updated_at: A_TIME });
    expect((await account.client.get('/v1/workspaces/b')).body).toEqual(updated.body);
    errorOf(await account.client.get('/v1/workspaces/a'), 404);
    const described = await account.client.patch(`/v1/workspaces/${made.id}`, {
      description: null,
    });
    expect(described.body).toMatchObject({ data: { description: null, name: 'b' } });
    const renamed = await account.client.patch('/v1/workspaces/default', { name: 'Home' });
    expect(renamed.body).toMatchObject({ data: { name: 'Home', slug: 'default' } });
  });

  it('do not change by what they are already, and are refused without a field', async () => {
    const made = await createWorkspace(account.client, { slug: 'a', restrictions: ['x', 'y'] });
    const before = await stateOf(service);
    const { name, slug, description } = made;
    const same = { name, slug, description, restrictions: ['y', 'x', 'y'] };
    const answer = await account.client.patch('/v1/workspaces/a', same);
    expect(answer).toMatchObject({ status: 200, body: { data: made } });
    for (const empty of [{}, { colour: 'red' }]) {
      const refused = errorOf(await account.client.patch('/v1/workspaces/a', empty), 400);
      expect(refused.message).toBe('No update fields provided');
    }
    expect(await stateOf(service)).toEqual(before);
  });

  it('are listed oldest first, in pages, with the count of all', async () => {
    const made = [];
    for (const name of ['b', 'a', 'c']) made.push(await createWorkspace(account.client, { name }));
    const answer = await account.client.get<WorkspaceList>('/v1/workspaces');
    const { status, body } = answer;
    expect(status).toBe(200);
    expect(body.data[0]).toMatchObject({
      id: account.defaultWorkspaceId,
      name: 'Default',
      slug: 'default',
      is_default: true,
      created_by: null,
    });
    expect(body).toEqual({ data: [body.data[0], ...made], total_count: 4 });
    const page = await account.client.get('/v1/workspaces?offset=2&limit=1');
    expect(page.body).toEqual({ data: [made[1]], total_count: 4 });
    for (const offset of ['4', '99999999999999999999']) {
      const beyond = await account.client.get(`/v1/workspaces?offset=${offset}`);
      expect(beyond.body).toEqual({ data: [], total_count: 4 });
    }
  });

  it('are listed 50 at a time by default', async () => {
    for (let count = 1; count <= 50; count++) await createWorkspace(account.client);
    const { body } = await account.client.get<WorkspaceList>('/v1/workspaces');
    expect(body).toMatchObject({ total_count: 51 });
    expect(body.data).toHaveLength(50);
  });

  it.each(['limit=0', 'limit=101', 'limit=a', 'limit=1&limit=1', 'offset=-1', 'offset=1.5'])(
    'are not listed by %s',
    async (query) => {
      errorOf(await account.client.get(`/v1/workspaces?${query}`), 400);
    },
  );

  it('of another account are answered as those that do not exist, byte for byte', async () => {
    const made = await createWorkspace(account.client, { slug: 'private' });
    const other = await service.openAccount();
    const call = { headers: { 'X-Request-Id': 'same' } };
    const before = await stateOf(service);
    for (const send of [
      (name: string) => other.client.get(`/v1/workspaces/${name}`, call),
      (name: string) => other.client.patch(`/v1/workspaces/${name}`, { name: 'b' }, call),
      (name: string) => other.client.send('DELETE', `/v1/workspaces/${name}`, call),
      (name: string) => other.client.get(`/v1/workspaces/${name}/members`, call),
      (name: string) =>
        other.client.post(`/v1/workspaces/${name}/members/add`, { user_ids: ['a'] }, call),
      (name: string) =>
        other.client.post(`/v1/workspaces/${name}/members/remove`, { user_ids: ['a'] }, call),
    ]) {
      const none = await send('nothing-here');
      errorOf(none, 404);
      for (const name of [made.id, 'private', account.defaultWorkspaceId, '%00', 'a%2Fb']) {
        const answer = await send(name);
        expect({ status: answer.status, text: answer.text }).toEqual({
          status: 404,
          text: none.text,
        });
      }
    }
    expect(await stateOf(service)).toEqual(before);
  });

  it('belong to individual accounts as well', async () => {
    const solo = await service.openAccount('individual');
    const made = await createWorkspace(solo.client, { slug: 'a' });
    const { body } = await solo.client.get<WorkspaceList>('/v1/workspaces');
    expect(body).toMatchObject({ data: [{ slug: 'default' }, made], total_count: 2 });
    expect(await solo.client.send('DELETE', '/v1/workspaces/a')).toMatchObject({ status: 200 });
  });
});
