import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiDescription, misdescribed } from '../harness/api-description.js';
import { createKey } from '../harness/api-keys.js';
import { register } from '../harness/end-users.js';
import { ERRORS } from '../harness/error-provocations.js';
import { goodBodyOf, queryOf } from '../harness/good-requests.js';
import type { Answer, HttpClient } from '../harness/http-client.js';
import { runningApp } from '../harness/running-app.js';
import { createWorkspace } from '../harness/workspace-routes.js';

/** Every operation. openapi-errors.e2e.spec.ts compares this list with the document. */
const OPERATIONS = Object.keys(ERRORS);

describe('the successes of the OpenAPI document', () => {
  const service = runningApp({ RATE_LIMIT_KEY_CREATION: '100/60s' });
  let description: ApiDescription;

  beforeAll(async () => {
    description = (await service.client.get<ApiDescription>('/openapi.json')).body;
  });

  /** Calls an operation in an account that has the objects of the operation. */
  async function succeeded(method: string, template: string): Promise<Answer> {
    const { client, ...account } = await service.openAccount('organization', 'a');
    const { data, key } = await createKey(client);
    const { slug } = await createWorkspace(client);
    await register({ client }, 'taken');
    const path = template
      .replace('{hash}', data.hash)
      .replace('{user}', 'taken')
      .replace('{workspace}', slug)
      .replace('{id}', await newestEvent(client));
    const takesBody = method === 'POST' || method === 'PATCH';
    return client.send(method, path + queryOf(`${method} ${template}`), {
      key: ['/v1/key', '/v1/authorize'].includes(path) ? key : account.managementKey,
      headers: { 'Keyledger-Authorization': `Bearer ${account.managementKey}` },
      ...(takesBody && { body: goodBodyOf(`${method} ${template}`) }),
    });
  }

  async function newestEvent(client: HttpClient): Promise<string> {
    const { body } = await client.get<{ data: { id: string }[] }>('/v1/audit-events?limit=1');
    return body.data[0]?.id ?? 'none';
  }

  it.each(OPERATIONS)('%s has the status and the headers that are described', async (operation) => {
    const [method = '', template = ''] = operation.split(' ');
    const { status, headers } = await succeeded(method, template);
    const described = description.paths[template]?.[method.toLowerCase()]?.responses[status];
    expect(status).toBeLessThan(300);
    expect(described?.headers).toHaveProperty('X-Request-Id');
    expect(misdescribed(described?.headers ?? {}, headers)).toEqual([]);
    expect(headers.get('etag')).toBeNull();
    expect(headers.get('x-powered-by')).toBeNull();
  });
});
