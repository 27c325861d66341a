import { NDJSON } from '../../../src/edge/http/answers/ndjson.js';
import { HttpRefusal } from '../../../src/edge/http/answers/http-refusal.js';
import { quotaExceeded, Refusal } from '../../../src/kernel/errors.js';
import { hashKeyString } from '../../../src/kernel/key-string.js';
import { asks, type Provoke, type Provoked } from './error-provocations.js';
import { UNKNOWN_HASH } from './forms.js';

/** A request to a route whose path may name a key or its workspace. */
function to(route: string, body?: object, more: Partial<Provoked> = {}): Provoke {
  return ({ hash, crowded }) => ({
    route: route.replaceAll('{hash}', hash).replace('{workspace}', crowded),
    body,
    ...more,
  });
}

const STRINGS = `PUT /v1/keys/{hash}/strings/${UNKNOWN_HASH}`;
const USAGE_AWAY = { fault: new Refusal('stored-usage-unknown') };
const MEMBERS = '/v1/workspaces/{workspace}/members';
const MANAGEMENT_KEYS = '/v1/management-keys';
const NEW_KEY = `${MANAGEMENT_KEYS}/${UNKNOWN_HASH}`;
const FULL = { fault: quotaExceeded('management-keys', 1_000) };
const BUDGETS = ['workspaces/{workspace}/budget', 'end-users/taken/budget', 'end-user-budget'];
const STRANGER = { user_ids: ['user-nobody'] };

/** Requests that provoke a reason on the other operations whose description names it. */
export const FURTHER_PROVOCATIONS: readonly (readonly [reason: string, provoke: Provoke])[] = [
  ['key-disabled', ({ account, disabledKey }) => asks(account, disabledKey)],
  ['key-expired', ({ account, expiredKey }) => asks(account, expiredKey)],
  ['workspace-unknown', to('GET /v1/keys?workspace_id=none')],
  ['workspace-unknown', to('PATCH /v1/keys/{hash}', { workspace_id: 'none' })],
  [
    'stored-usage-unknown',
    to(
      'PUT /v1/keys/{hash}/expiry',
      { expires_at: null },
      { fault: new Refusal('stored-usage-unknown') },
    ),
  ],
  ['key-rotated', ({ account, rotatedKey }) => asks(account, rotatedKey.key)],
  ['stored-usage-unknown', to('POST /v1/keys/{hash}/rotate', undefined, USAGE_AWAY)],
  ['stored-usage-unknown', to(STRINGS, { grace_seconds: 0 }, USAGE_AWAY)],
  ['hash-used', to('PUT /v1/keys/{hash}/strings/{hash}', { grace_seconds: 0 })],
  [
    'string-ended',
    ({ rotatedKey: { data }, endedString }) => ({
      route: `PUT /v1/keys/${data.hash}/strings/${endedString}`,
      body: { grace_seconds: 0 },
    }),
  ],
  [
    'too-many-strings',
    to(STRINGS, { grace_seconds: 0 }, { fault: new Refusal('too-many-strings', { limit: 8 }) }),
  ],
  ['workspace-unknown', to(`PUT /v1/keys/${UNKNOWN_HASH}`, { name: 'a', workspace_id: 'none' })],
  [
    'quota-exceeded',
    to(
      `PUT /v1/keys/${UNKNOWN_HASH}`,
      { name: 'a' },
      { fault: quotaExceeded('api-keys', 1_000_000) },
    ),
  ],
  ['member-unknown', to(`POST ${MANAGEMENT_KEYS}`, { role: 'admin', user_id: 'nobody' })],
  ['member-unknown', to(`PUT ${NEW_KEY}`, { role: 'admin', user_id: 'nobody' })],
  ['hash-used', to(`PUT ${MANAGEMENT_KEYS}/{hash}`, { role: 'admin' })],
  [
    'key-differs',
    ({ gatewayKey }) => ({
      route: `PUT ${MANAGEMENT_KEYS}/${hashKeyString(gatewayKey)}`,
      body: { role: 'admin' },
    }),
  ],
  [
    'beyond-own-key',
    ({ expiringKey: key }) => ({ route: `PUT ${NEW_KEY}`, key, body: { role: 'admin' } }),
  ],
  ['quota-exceeded', to(`POST ${MANAGEMENT_KEYS}`, { role: 'admin' }, FULL)],
  ['quota-exceeded', to(`PUT ${NEW_KEY}`, { role: 'admin' }, FULL)],
  [
    'organization-required',
    ({ individual }) => ({ route: 'GET /v1/members', key: individual.managementKey }),
  ],
  ['quota-exceeded', to('PUT /v1/members/new', undefined, { fault: quotaExceeded('members', 10) })],
  [
    'last-admin-key',
    to('DELETE /v1/members/bob', undefined, { fault: new Refusal('last-admin-key') }),
  ],
  ...BUDGETS.flatMap((path) =>
    ['GET', 'DELETE'].map((method) => ['no-budget', to(`${method} /v1/${path}`)] as const),
  ),
  ...BUDGETS.slice(0, 2).map(
    (path) => ['stored-usage-unknown', to(`PUT /v1/${path}`, { limit: 1 }, USAGE_AWAY)] as const,
  ),
  ['no-update-fields', to('PATCH /v1/workspaces/{workspace}', {})],
  ['workspace-slug-taken', to('PATCH /v1/workspaces/{workspace}', { slug: 'default' })],
  ['member-unknown', to(`POST ${MEMBERS}/remove`, STRANGER)],
  [
    'default-workspace-members-fixed',
    to('POST /v1/workspaces/default/members/remove', { user_ids: ['user-ada'] }),
  ],
  [
    'quota-exceeded',
    to('POST /v1/workspaces', { name: 'a' }, { fault: quotaExceeded('workspaces', 1_000) }),
  ],
  [
    'quota-exceeded',
    to(`POST ${MEMBERS}/add`, STRANGER, { fault: quotaExceeded('workspace-members', 100_000) }),
  ],
  // The slots of streams are taken by the provocation on the audit trail.
  ['too-many-streams', to('GET /v1/activity', undefined, { headers: { Accept: NDJSON } })],
  // `test/service/event-feed.e2e.spec.ts` lets too many requests wait.
  [
    'too-many-streams',
    to('GET /v1/events', undefined, {
      fault: new HttpRefusal('too-many-streams', { headers: { 'Retry-After': '1' } }),
    }),
  ],
  [
    'http-version-unsupported',
    to('GET /v1/activity', undefined, { fault: new Refusal('http-version-unsupported') }),
  ],
];
