import { randomUUID } from 'node:crypto';
import {
  changeTooLarge,
  type Quota,
  quotaExceeded,
  Refusal,
  Unavailable,
  Unreadable,
} from '../../src/kernel/errors.js';
import { NDJSON } from '../../src/http/ndjson.js';
import { StreamSlots } from '../../src/rate-limits/stream-slots.js';
import { UNKNOWN_HASH } from './forms.js';
import { verificationErrors } from './verification-provocations.js';
import type { Call } from './http-client.js';
import type { RunningApp, TestAccount } from './running-app.js';

/** The objects that requests for errors use. */
export interface Fixture {
  readonly service: RunningApp;
  readonly account: TestAccount;
  readonly individual: TestAccount;
  /** An account whose management key has used up the limit of key creations. */
  readonly exhausted: TestAccount;
  /** An account that has used up the limit of writes. */
  readonly spent: TestAccount;
  readonly apiKey: string;
  readonly disabledKey: string;
  readonly expiredKey: string;
  /** A key whose limit is 0. */
  readonly spentKey: string;
  /** The hash of a key in a workspace with the restriction `eu-only`. */
  readonly hash: string;
  /** The workspace of that key. */
  readonly crowded: string;
  /** A workspace with the same restriction, and without members. */
  readonly deserted: string;
  /** The hash of a key whose workspace was deleted. */
  readonly orphaned: string;
}

interface Provoked extends Call {
  readonly path?: string;
  readonly query?: string;
  /** The tracking string in the path, instead of the registered one. */
  readonly user?: string;
  readonly fault?: unknown;
}

export type Provoke = (fixture: Fixture) => Provoked;

const UNKNOWN_WORKSPACE: Provoke = () => ({ body: { name: 'a', workspace_id: 'none' } });

/** Sends a path with broken percent-encoding. */
const UNDECODABLE =
  (path: string): Provoke =>
  () => ({ path });

/** Throws the refusal, because the quota is too high to use up. `test/e2e/quotas.e2e.spec.ts` uses up lower quotas. */
const USED_UP =
  (quota: Quota, limit: number): Provoke =>
  () => ({ fault: quotaExceeded(quota, limit) });

const UNKNOWN_KEY: Provoke = () => ({ path: `/v1/keys/${UNKNOWN_HASH}` });

const WITH_ANY_KEY: Readonly<Record<string, Provoke>> = {
  'authentication-missing': () => ({ headers: { Authorization: '' } }),
  'authentication-malformed': () => ({ headers: { Authorization: 'Basic x' } }),
  'key-invalid': () => ({ key: 'nobody-has-this' }),
  'internal-error': () => ({ fault: new Error('broken') }),
  unavailable: () => ({ fault: new Unavailable('event log', new Error('gone')) }),
  // `test/e2e/unknown-event.e2e.spec.ts` has events of an unknown type.
  'event-unreadable': () => ({ fault: new Unreadable('event 1 is of an unknown type') }),
};

const SHARED: Readonly<Record<string, Provoke>> = {
  ...WITH_ANY_KEY,
  'not-a-management-key': ({ apiKey }) => ({ key: apiKey }),
};

const WRITE: Readonly<Record<string, Provoke>> = {
  ...SHARED,
  'rate-limited': ({ spent }) => ({ key: spent.managementKey }),
  // The real refusal needs 20 s of conflicts: `src/event-log/overtaken-decisions.int.spec.ts` makes them.
  'too-many-writers': () => ({ fault: new Refusal('too-many-writers') }),
  // `test/servers/strict-log-server.e2e.spec.ts` has a log that accepts only small appends.
  'change-too-large': () => ({ fault: changeTooLarge(1_048_576) }),
};

const WITH_BODY: Readonly<Record<string, Provoke>> = {
  ...WRITE,
  'body-too-large': () => ({ body: 'x'.repeat(200_000) }),
  'body-too-complex': () => ({ body: '{"a":'.repeat(33) + '1' + '}'.repeat(33) }),
  'charset-unsupported': () => ({
    body: '{}',
    headers: { 'Content-Type': 'application/json; charset=utf-16' },
  }),
  'encoding-unsupported': () => ({ body: '{}', headers: { 'Content-Encoding': 'compact' } }),
};

/** The errors of operations on end users, by method and the end of the path. */
const END_USER_ERRORS: Readonly<Record<string, Readonly<Record<string, Provoke>>>> = {
  'POST ': {
    ...WITH_BODY,
    'request-invalid': () => ({ body: { user: 'ada', email: 'ada@example.com' } }),
    'organization-required': ({ individual }) => ({
      key: individual.managementKey,
      body: { user: 'ada' },
    }),
    'end-user-already-registered': () => ({ body: { user: 'taken' } }),
  },
  'GET ': {
    ...SHARED,
    'request-invalid': () => ({ query: '?limit=0' }),
    'organization-required': ({ individual }) => ({ key: individual.managementKey }),
  },
  'GET /{user}': {
    ...SHARED,
    'request-invalid': () => ({ user: '%20a' }),
    'organization-required': ({ individual }) => ({ key: individual.managementKey }),
    'not-found': () => ({ user: 'nobody' }),
  },
  'PATCH /{user}': {
    ...WITH_BODY,
    'request-invalid': () => ({ body: { is_active: 'no' } }),
    'organization-required': ({ individual }) => ({ key: individual.managementKey }),
    'not-found': () => ({ user: 'nobody' }),
  },
  'DELETE /{user}': {
    ...WRITE,
    'request-invalid': () => ({ user: 'a%00' }),
    'organization-required': ({ individual }) => ({ key: individual.managementKey }),
    'not-found': () => ({ user: 'nobody' }),
  },
};

/** The errors of both adding and removing members. */
const MEMBERSHIP = (verb: 'add' | 'remove'): Readonly<Record<string, Provoke>> => ({
  ...WITH_BODY,
  'request-invalid': () => ({ body: { user_ids: [] } }),
  'not-found': () => ({ path: `/v1/workspaces/nowhere/members/${verb}` }),
  'default-workspace-members-fixed': () => ({ path: `/v1/workspaces/default/members/${verb}` }),
  'member-unknown': () => ({ body: { user_ids: ['user-nobody'] } }),
});

/** Every error of every operation, with a request that provokes it. */
export const ERRORS: Readonly<Record<string, Readonly<Record<string, Provoke>>>> = {
  'POST /v1/keys': {
    ...WITH_BODY,
    'request-invalid': () => ({ body: { name: 'a', limit: -1 } }),
    'workspace-unknown': UNKNOWN_WORKSPACE,
    'quota-exceeded': USED_UP('api-keys', 1_000_000),
    'rate-limited': ({ exhausted }) => ({ key: exhausted.managementKey, body: { name: 'a' } }),
  },
  'GET /v1/keys': {
    ...SHARED,
    'request-invalid': () => ({ path: '/v1/keys?limit=0' }),
    'workspace-unknown': () => ({ path: '/v1/keys?workspace_id=none' }),
  },
  'GET /v1/keys/{hash}': {
    ...SHARED,
    'request-invalid': UNDECODABLE('/v1/keys/%ZZ'),
    'not-found': UNKNOWN_KEY,
  },
  'DELETE /v1/keys/{hash}': {
    ...WRITE,
    'request-invalid': UNDECODABLE('/v1/keys/%ff'),
    'not-found': UNKNOWN_KEY,
  },
  'GET /v1/key': {
    ...WITH_ANY_KEY,
    'key-disabled': ({ disabledKey }) => ({ key: disabledKey }),
    'key-expired': ({ expiredKey }) => ({ key: expiredKey }),
  },
  'PATCH /v1/keys/{hash}': {
    ...WITH_BODY,
    'request-invalid': () => ({ body: { disabled: 'yes' } }),
    'no-update-fields': () => ({ body: {} }),
    'workspace-unknown': UNKNOWN_WORKSPACE,
    'not-found': () => ({ body: { name: 'b' }, path: `/v1/keys/${UNKNOWN_HASH}` }),
    'restrictions-incompatible': ({ account }) => ({
      body: { workspace_id: account.defaultWorkspaceId },
    }),
    'workspace-gone': ({ orphaned }) => ({
      path: `/v1/keys/${orphaned}`,
      body: { disabled: false },
    }),
    'creator-not-a-member': ({ deserted }) => ({ body: { workspace_id: deserted } }),
  },
  ...verificationErrors(SHARED),
  ...endUserErrors('/v1/end-users'),
  'GET /v1/audit-events': {
    ...SHARED,
    'request-invalid': () => ({ path: '/v1/audit-events?limit=0' }),
    // The client of the tests speaks HTTP/1.1. `test/e2e/http-1-0.e2e.spec.ts` speaks HTTP/1.0.
    'http-version-unsupported': () => ({ fault: new Refusal('http-version-unsupported') }),
    'too-many-streams': ({ service, spent }) => {
      const slots = service.app.get(StreamSlots);
      while (slots.tryAcquire(spent.accountId));
      return { key: spent.managementKey, headers: { Accept: NDJSON } };
    },
  },
  'GET /v1/audit-events/{id}': {
    ...SHARED,
    'request-invalid': UNDECODABLE('/v1/audit-events/%'),
    'not-found': () => ({ path: `/v1/audit-events/${randomUUID()}` }),
  },
  'POST /v1/workspaces': {
    ...WITH_BODY,
    'request-invalid': () => ({ body: { name: '' } }),
    'workspace-slug-taken': () => ({ body: { name: 'a', slug: 'default' } }),
    'quota-exceeded': USED_UP('workspaces', 1_000),
  },
  'GET /v1/workspaces': {
    ...SHARED,
    'request-invalid': () => ({ path: '/v1/workspaces?limit=0' }),
  },
  'GET /v1/workspaces/{workspace}': {
    ...SHARED,
    'request-invalid': UNDECODABLE('/v1/workspaces/%E0'),
    'not-found': () => ({ path: '/v1/workspaces/nowhere' }),
  },
  'PATCH /v1/workspaces/{workspace}': {
    ...WITH_BODY,
    'request-invalid': () => ({ body: { name: '' } }),
    'no-update-fields': () => ({ body: {} }),
    'not-found': () => ({ path: '/v1/workspaces/nowhere' }),
    'workspace-slug-taken': () => ({ body: { slug: 'default' } }),
  },
  'DELETE /v1/workspaces/{workspace}': {
    ...WRITE,
    'request-invalid': UNDECODABLE('/v1/workspaces/%ZZ'),
    'not-found': () => ({ path: '/v1/workspaces/nowhere' }),
    'default-workspace-not-deletable': () => ({ path: '/v1/workspaces/default' }),
    'workspace-holds-keys': () => ({}),
  },
  'GET /v1/workspaces/{workspace}/members': {
    ...SHARED,
    'request-invalid': () => ({ path: '/v1/workspaces/default/members?limit=0' }),
    'not-found': () => ({ path: '/v1/workspaces/nowhere/members' }),
  },
  'POST /v1/workspaces/{workspace}/members/add': {
    ...MEMBERSHIP('add'),
    'quota-exceeded': USED_UP('workspace-members', 100_000),
  },
  'POST /v1/workspaces/{workspace}/members/remove': MEMBERSHIP('remove'),
};

function endUserErrors(name: string): typeof END_USER_ERRORS {
  return Object.fromEntries(
    Object.entries(END_USER_ERRORS).map(([route, errors]) => [
      route.replace(' ', ` ${name}`),
      errors,
    ]),
  );
}
