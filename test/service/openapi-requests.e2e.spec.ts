import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiDescription, schemasOf } from '../support/harness/api-description.js';
import { createKey } from '../support/harness/api-keys.js';
import { goodBodyOf } from '../support/harness/good-requests.js';
import { errorOf } from '../support/harness/error-of.js';
import { runningApp } from '../support/harness/running-app.js';
import { createWorkspace } from '../support/harness/workspace-routes.js';

const ELSEWHERE = '2027-01-01T00:00:00+00:00';
const name = 'a';

/** Invalid bodies that a schema can detect. */
const BODIES: readonly (readonly [string, object])[] = [
  ['POST /v1/keys', { name: 'a\0' }],
  ['POST /v1/keys', { name, expires_at: ELSEWHERE }],
  ['POST /v1/keys', { name, creator_user_id: '\0' }],
  ['POST /v1/keys', { name, workspace_id: '' }],
  ['POST /v1/keys', { name, external: { user: ' a' } }],
  ['POST /v1/keys', { name, external: { user: 'a', lookup_key: '\0' } }],
  ['PATCH /v1/keys/{hash}', {}],
  ['PATCH /v1/keys/{hash}', { name: '\0' }],
  ['PATCH /v1/keys/{hash}', { workspace_id: '' }],
  ['POST /v1/end-users', { user: 'a\u0085' }],
  ['POST /v1/end-users', { user: 'a', email: 'a' }],
  ['PATCH /v1/end-users/{user}', { is_active: true, user: 'a' }],
  ['POST /v1/workspaces', { name: 'a\0' }],
  ['POST /v1/workspaces', { name, slug: 'a--b' }],
  ['POST /v1/workspaces', { name, description: '\0' }],
  ['POST /v1/workspaces', { name, restrictions: ['\0'] }],
  ['PATCH /v1/workspaces/{workspace}', {}],
  ['PATCH /v1/workspaces/{workspace}', { name: '' }],
  ['PATCH /v1/workspaces/{workspace}', { slug: 'a--b' }],
  ['PATCH /v1/workspaces/{workspace}', { restrictions: [''] }],
  ['POST /v1/workspaces/{workspace}/members/add', { user_ids: ['\0'] }],
];

/** Invalid parameters that a schema can detect. */
const PARAMETERS: readonly (readonly [string, string, string])[] = [
  ['/v1/keys', 'workspace_id', ''],
  ['/v1/end-users', 'user', 'a '],
  ['/v1/end-users/{user}', 'user', ' a'],
  ['/v1/audit-events', 'cursor', ''],
  ['/v1/audit-events', 'actor', '\0'],
  ['/v1/audit-events', 'target_id', ''],
  ['/v1/audit-events', 'from', ELSEWHERE],
  ['/v1/audit-events', 'to', ELSEWHERE],
];

describe('the requests of the OpenAPI document', () => {
  const service = runningApp();
  let description: ApiDescription;
  let validatorOf: ReturnType<typeof schemasOf>;
  let hash: string;
  let workspace: string;

  beforeAll(async () => {
    description = (await service.client.get<ApiDescription>('/openapi.json')).body;
    validatorOf = schemasOf(description);
    ({
      data: { hash },
    } = await createKey(service.client));
    ({ slug: workspace } = await createWorkspace(service.client));
    await service.client.post('/v1/end-users', { user: 'known' });
  });

  const filled = (path: string): string =>
    path.replace('{hash}', hash).replace('{workspace}', workspace).replace('{user}', 'known');

  function fits(route: string, body: object): boolean {
    const [method = '', path = ''] = route.split(' ');
    const operation = description.paths[path]?.[method.toLowerCase()];
    const schema = operation?.requestBody?.content['application/json']?.schema;
    if (!schema) throw new Error(`${route} takes no body`);
    return validatorOf(schema)(body);
  }

  it.each(BODIES)('%s refuses %j, as its schema does, and not a good one', async (route, body) => {
    const [method = '', path = ''] = route.split(' ');
    errorOf(await service.client.send(method, filled(path), { body }), 400);
    expect(fits(route, body)).toBe(false);
    expect(fits(route, goodBodyOf(route))).toBe(true);
  });

  it.each(PARAMETERS)(
    'GET %s refuses a %s that is %j, as its schema does',
    async (path, parameter, text) => {
      const operation = description.paths[path]?.['get'];
      const schema = operation?.parameters.find(({ name: known }) => known === parameter)?.schema;
      const given = encodeURIComponent(text);
      const inPath = path.includes(`{${parameter}}`);
      const target = inPath
        ? path.replace(`{${parameter}}`, given)
        : `${path}?${parameter === 'target_id' ? 'target_type=key&' : ''}${parameter}=${given}`;
      expect(errorOf(await service.client.get(target), 400).paths).toEqual([parameter]);
      const validate = validatorOf(schema ?? {});
      expect(validate(text)).toBe(false);
      expect(validate('2027-01-01T00:00:00Z')).toBe(true);
    },
  );
});
