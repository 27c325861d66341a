import { randomUUID } from 'node:crypto';
import { type CreatedKey, createKey } from './api-keys.js';
import { UNKNOWN_HASH } from './forms.js';
import type { Answer } from './http-client.js';
import { madeString } from './made-strings.js';
import type { TestAccount } from './running-app.js';
import type { MemberList } from './workspace-routes.js';

/** Answers with their operations, such as `GET /v1/keys/{hash}`. */
export type Answered = (readonly [route: string, answer: Answer])[];

/** Gives at least one answer of each operation that it did what was asked, and an error of some. */
export async function goodAnswers(account: TestAccount): Promise<Answered> {
  return [
    ...(await answersOnKeys(account)),
    ...(await answersOnEndUsers(account)),
    ...(await answersOnReports(account)),
    ...(await answersOnManagementKeys(account)),
    ...(await answersOnMembers(account)),
    ...(await answersOnWorkspaces(account)),
    ...(await answersOnBudgets(account)),
    ...(await answersOnAuditTrail(account)),
  ];
}

async function answersOnKeys({ client, managementKey }: TestAccount): Promise<Answered> {
  const wanted = { name: 'a', limit: 5, external: { user: 'ada' } };
  const created = await client.post<CreatedKey>('/v1/keys', wanted);
  const { key, data } = created.body;
  const one = `/v1/keys/${data.hash}`;
  const string = 'PUT /v1/keys/{hash}/strings/{string_hash}';
  const made = madeString().hash;
  const gateway = { 'Keyledger-Authorization': `Bearer ${managementKey}` };
  const form = Buffer.from(`token=${key}`);
  const unknown = Buffer.from('token=unknown');
  const spent = await createKey(client, { limit: 0, limit_reset: 'daily' });
  return [
    ['POST /v1/keys', created],
    ['GET /v1/keys', await client.get('/v1/keys')],
    ['GET /v1/keys/{hash}', await client.get(one)],
    ['PATCH /v1/keys/{hash}', await client.patch(one, { limit: null })],
    ['PUT /v1/keys/{hash}', await client.put(one, wanted)],
    ['PUT /v1/keys/{hash}', await client.put(`/v1/keys/${madeString().hash}`, wanted)],
    ['POST /v1/keys/{hash}/rotate', await client.post(`${one}/rotate`, undefined)],
    ['POST /v1/keys/{hash}/rotate', await client.post(`${one}/rotate`, { grace_seconds: null })],
    [string, await client.put(`${one}/strings/${made}`, { grace_seconds: 60 })],
    [string, await client.put(`${one}/strings/${made}`, { grace_seconds: 60 })],
    ['GET /v1/keys/{hash}/strings', await client.get(`${one}/strings`)],
    ['PUT /v1/keys/{hash}/expiry', await client.put(`${one}/expiry`, { expires_at: null })],
    ['GET /v1/key', await client.as(key).get('/v1/key')],
    ['GET /v1/key', await client.get('/v1/key')],
    ['POST /v1/keys/verify', await client.post('/v1/keys/verify', { key })],
    ['POST /v1/keys/verify', await client.post('/v1/keys/verify', { key: 'unknown' })],
    ['POST /v1/keys/verify', await client.post('/v1/keys/verify', { key: spent.key })],
    ['POST /v1/oauth/introspect', await client.post('/v1/oauth/introspect', unknown)],
    ['POST /v1/oauth/introspect', await client.post('/v1/oauth/introspect', form)],
    ['GET /v1/authorize', await client.as(key).get('/v1/authorize', { headers: gateway })],
    ['GET /v1/authorize', await client.as('unknown').get('/v1/authorize', { headers: gateway })],
    [string.replace('PUT', 'DELETE'), await client.delete(`${one}/strings/${data.hash}`)],
    ['DELETE /v1/keys/{hash}', await client.delete(one)],
    ['DELETE /v1/keys/{hash}', await client.delete(one)],
  ];
}

async function answersOnManagementKeys({ client }: TestAccount): Promise<Answered> {
  const [all, named] = ['/v1/management-keys', '/v1/management-keys/{hash}'];
  const one = `${all}/${madeString('mk-v1-').hash}`;
  const wanted = { role: 'gateway', expires_at: '2100-01-01T00:00:00Z' };
  return [
    [`POST ${all}`, await client.post(all, { role: 'auditor', name: 'a' })],
    [`POST ${all}`, await client.post(all, { role: 'owner' })],
    [`PUT ${named}`, await client.put(one, wanted)],
    [`PUT ${named}`, await client.put(one, wanted)],
    [`PUT ${named}`, await client.put(one, { role: 'auditor' })],
    [`GET ${all}`, await client.get(all)],
    [`GET ${named}`, await client.get(one)],
    [`DELETE ${named}`, await client.delete(one)],
    [`GET ${named}`, await client.get(one)],
  ];
}

async function answersOnMembers({ client }: TestAccount): Promise<Answered> {
  const [named, one] = ['/v1/members/{user_id}', '/v1/members/new'];
  return [
    [`PUT ${named}`, await client.put(one, undefined)],
    [`PUT ${named}`, await client.put(one, undefined)],
    ['GET /v1/members', await client.get('/v1/members')],
    [`DELETE ${named}`, await client.delete(one)],
    [`DELETE ${named}`, await client.delete(one)],
  ];
}

async function answersOnEndUsers({ client }: TestAccount): Promise<Answered> {
  const one = '/v1/end-users/ada';
  return [
    ['POST /v1/end-users', await client.post('/v1/end-users', { user: 'ada' })],
    ['POST /v1/end-users', await client.post('/v1/end-users', { user: 'ada' })],
    ['GET /v1/end-users', await client.get('/v1/end-users')],
    ['GET /v1/end-users/{user}', await client.get(one)],
    ['PUT /v1/end-users/{user}', await client.put(one, undefined)],
    ['PUT /v1/end-users/{user}', await client.put('/v1/end-users/bob', undefined)],
    ['PATCH /v1/end-users/{user}', await client.patch(one, { is_active: false })],
    ['DELETE /v1/end-users/{user}', await client.delete(one)],
  ];
}

async function answersOnBudgets({ client }: TestAccount): Promise<Answered> {
  await client.put('/v1/end-users/carol', undefined);
  const answers: Answered = [];
  for (const [route, one] of [
    ['/v1/end-user-budget', '/v1/end-user-budget'],
    ['/v1/workspaces/{workspace}/budget', '/v1/workspaces/default/budget'],
    ['/v1/end-users/{user}/budget', '/v1/end-users/carol/budget'],
  ] as const) {
    for (const body of [{ limit: 5, limit_reset: 'daily' }, { limit: 6 }, { limit: -1 }]) {
      answers.push([`PUT ${route}`, await client.put(one, body)]);
    }
    answers.push([`GET ${route}`, await client.get(one)]);
    answers.push([`DELETE ${route}`, await client.delete(one)]);
    answers.push([`GET ${route}`, await client.get(one)]);
  }
  return answers;
}

async function answersOnReports({ client }: TestAccount): Promise<Answered> {
  const [named, one] = ['/v1/usage-reports/{report_id}', `/v1/usage-reports/${randomUUID()}`];
  const key_hash = (await createKey(client)).data.hash;
  const records = [
    { key_hash, cost: 1, user: 'ada' },
    { key_hash: UNKNOWN_HASH, cost: 1 },
  ];
  const [body, other] = [{ records }, { records: records.slice(1) }];
  return [
    [`PUT ${named}`, await client.send('PUT', one, { body })],
    [`PUT ${named}`, await client.send('PUT', one, { body })],
    [`PUT ${named}`, await client.send('PUT', one, { body: other })],
    [`GET ${named}`, await client.get(one)],
    ['GET /v1/activity', await client.get('/v1/activity')],
    ['GET /v1/activity', await client.get('/v1/activity?group_by=user')],
    [`DELETE ${named}`, await client.delete(one)],
  ];
}

async function answersOnWorkspaces({ client }: TestAccount): Promise<Answered> {
  const created = await client.post('/v1/workspaces', { name: 'Europe', slug: 'eu' });
  const members = await client.get<MemberList>('/v1/workspaces/default/members');
  const user_ids = members.body.data.map(({ user_id }) => user_id);
  const one = '/v1/workspaces/eu';
  const named = '/v1/workspaces/{workspace}';
  return [
    ['POST /v1/workspaces', created],
    ['GET /v1/workspaces', await client.get('/v1/workspaces')],
    [`GET ${named}`, await client.get(one)],
    [`PATCH ${named}`, await client.patch(one, { description: 'a' })],
    [`GET ${named}/members`, members],
    [`POST ${named}/members/add`, await client.post(`${one}/members/add`, { user_ids })],
    [`POST ${named}/members/remove`, await client.post(`${one}/members/remove`, { user_ids })],
    [`DELETE ${named}`, await client.delete(one)],
  ];
}

async function answersOnAuditTrail({ client }: TestAccount): Promise<Answered> {
  const list = await client.get<{ data: { id: string }[] }>('/v1/audit-events');
  const id = list.body.data[0]?.id ?? 'none';
  return [
    ['GET /v1/audit-events', list],
    ['GET /v1/events', await client.get('/v1/events?limit=2')],
    ['GET /v1/events', await client.get('/v1/events?after=unknown')],
    ['GET /v1/audit-events/{id}', await client.get(`/v1/audit-events/${id}`)],
  ];
}
