import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiDescription } from '../support/harness/api-description.js';
import { errorOf } from '../support/harness/error-of.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';

describe('a parameter that a list does not have', () => {
  const service = runningApp();
  let account: TestAccount;

  beforeAll(async () => {
    account = await service.openAccount();
  });

  it.each([
    ['/v1/keys?creator=ada', 'creator', 'nearest is creator_user_id'],
    ['/v1/keys?disabled=true', 'disabled', 'nearest is include_disabled'],
    ['/v1/keys?name=robot', 'name', 'it has offset, limit, '],
    ['/v1/audit-events?since=1h', 'since', 'it has limit, cursor, from, to, '],
    ['/v1/end-users?inactive=true', 'inactive', 'nearest is include_inactive'],
    ['/v1/workspaces?name=eu', 'name', 'it has offset, limit'],
    ['/v1/workspaces/default/members?ofset=1', 'ofset', 'nearest is offset'],
  ])('is refused in %s, with the nearest that it has', async (path, parameter, hint) => {
    const answer = await account.client.get<{ error: { metadata: { issues: object[] } } }>(path);
    errorOf(answer, 400);
    expect(answer.body.error.metadata.issues).toEqual([
      {
        path: parameter,
        message: expect.stringContaining(`is no parameter of this list; ${hint}`),
      },
    ]);
  });

  it('is refused on every list', async () => {
    const { body } = await service.client.get<ApiDescription>('/openapi.json');
    const lists = Object.entries(body.paths).filter(([, { get }]) =>
      get?.parameters.some((parameter) => parameter.in === 'query' && parameter.name === 'limit'),
    );
    expect(lists.length).toBeGreaterThanOrEqual(5);
    for (const [path] of lists) {
      const asked = `${path.replace('{workspace}', 'default')}?limit=1&colour=red`;
      expect(errorOf(await account.client.get(asked), 400).paths).toEqual(['colour']);
    }
  });
});
