import { randomUUID } from 'node:crypto';
import {
  changeTooLarge,
  quotaExceeded,
  Refusal,
  Unavailable,
  Unreadable,
} from '../../../src/kernel/errors.js';
import { NDJSON } from '../../../src/edge/http/answers/ndjson.js';
import { StreamSlots } from '../../../src/edge/rate-limits/stream-limit.interceptor.js';
import { hashKeyString } from '../../../src/kernel/key-string.js';
import { UNKNOWN_HASH } from './forms.js';
import type { CreatedKey } from './api-keys.js';
import type { Call } from './http-client.js';
import type { RunningApp, TestAccount } from './running-app.js';

/** The objects that requests for errors use. */
export interface Fixture {
  readonly service: RunningApp;
  readonly account: TestAccount;
  readonly individual: TestAccount;
  /** An account that has used up the limit of writes. */
  readonly spent: TestAccount;
  readonly apiKey: string;
  /** A management key with the role `gateway`. */
  readonly gatewayKey: string;
  /** An admin's management key that expires. */
  readonly expiringKey: string;
  /** A key whose first string has ended. */
  readonly rotatedKey: CreatedKey;
  /** The hash of the string that the key has in its place. */
  readonly newString: string;
  /** The hash of a later string that has ended. */
  readonly endedString: string;
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
  /** The id of a report of 1 USD. */
  readonly reported: string;
  /** The id of a report that was taken back. */
  readonly reversed: string;
}

export interface Provoked extends Call {
  /** Method and path. */
  readonly route: string;
  /** The error that the handler throws, if it takes too much to cause it. */
  readonly fault?: unknown;
}

export type Provoke = (fixture: Fixture) => Provoked;

const LIST = 'GET /v1/keys';
const CREATE = 'POST /v1/keys';

/** A gateway's question about a key. */
export function asks(gateway: TestAccount, key: string, query = ''): Provoked {
  const headers = { 'Keyledger-Authorization': `Bearer ${gateway.managementKey}` };
  return { route: `GET /v1/authorize${query}`, headers, key };
}

/** A request that provokes each error over HTTP. */
export const PROVOCATIONS: Readonly<Record<string, Provoke>> = {
  'authentication-missing': () => ({ route: LIST, headers: { Authorization: '' } }),
  'authentication-malformed': () => ({ route: LIST, headers: { Authorization: 'Basic x' } }),
  'key-invalid': () => ({ route: LIST, key: 'nobody-has-this' }),
  'not-a-management-key': ({ apiKey }) => ({ route: LIST, key: apiKey }),
  'role-missing': ({ gatewayKey }) => ({ route: LIST, key: gatewayKey }),
  'beyond-own-key': ({ expiringKey }) => ({
    route: 'POST /v1/management-keys',
    key: expiringKey,
    body: { role: 'gateway' },
  }),
  'last-admin-key': ({ individual }) => ({
    route: `DELETE /v1/management-keys/${hashKeyString(individual.managementKey)}`,
    key: individual.managementKey,
  }),
  'owner-not-removable': ({ account }) => ({ route: `DELETE /v1/members/${account.userId}` }),
  'key-rotated': ({ rotatedKey }) => ({ route: 'GET /v1/key', key: rotatedKey.key }),
  'key-disabled': ({ disabledKey }) => ({ route: 'GET /v1/key', key: disabledKey }),
  'key-expired': ({ expiredKey }) => ({ route: 'GET /v1/key', key: expiredKey }),
  'route-unknown': () => ({ route: 'GET /v1/nothing' }),
  'method-not-allowed': () => ({ route: 'PUT /v1/keys' }),
  'request-invalid': () => ({ route: CREATE, body: { name: 'a', limit: -1 } }),
  'unknown-field': () => ({
    route: CREATE,
    body: { name: 'a', expire_at: null },
    headers: { Prefer: 'handling=strict' },
  }),
  'no-update-fields': ({ hash }) => ({ route: `PATCH /v1/keys/${hash}`, body: {} }),
  'body-too-complex': () => ({ route: CREATE, body: '{"a":'.repeat(33) + '1' + '}'.repeat(33) }),
  // The real refusal takes 5 s: `test/service/places.e2e.spec.ts` waits for it.
  'body-timeout': () => ({
    route: CREATE,
    body: { name: 'a' },
    fault: new Refusal('body-timeout'),
  }),
  'body-too-large': () => ({ route: CREATE, body: 'x'.repeat(200_000) }),
  'charset-unsupported': () => ({
    route: CREATE,
    body: '{}',
    headers: { 'Content-Type': 'application/json; charset=utf-16' },
  }),
  'encoding-unsupported': () => ({
    route: CREATE,
    body: '{}',
    headers: { 'Content-Encoding': 'compact' },
  }),
  'rate-limited': ({ spent }) => ({
    route: 'POST /v1/end-users',
    key: spent.managementKey,
    body: { user: 'a' },
  }),
  'too-many-streams': ({ service, account }) => {
    const slots = service.app.get(StreamSlots);
    while (slots.tryAcquire(account.accountId));
    return { route: 'GET /v1/audit-events', headers: { Accept: NDJSON } };
  },
  // The client of the tests speaks HTTP/1.1. `test/service/requests.e2e.spec.ts` speaks HTTP/1.0.
  'http-version-unsupported': () => ({
    route: 'GET /v1/audit-events',
    fault: new Refusal('http-version-unsupported'),
  }),
  'cursor-unknown': () => ({ route: 'GET /v1/events?after=unknown' }),
  'not-found': () => ({ route: `GET /v1/keys/${UNKNOWN_HASH}` }),
  'no-budget': () => ({ route: 'GET /v1/end-user-budget' }),
  'organization-required': ({ individual }) => ({
    route: 'GET /v1/end-users',
    key: individual.managementKey,
  }),
  'workspace-unknown': () => ({ route: CREATE, body: { name: 'a', workspace_id: 'none' } }),
  'workspace-gone': ({ orphaned }) => ({
    route: `PATCH /v1/keys/${orphaned}`,
    body: { disabled: false },
  }),
  'restrictions-incompatible': ({ hash, account }) => ({
    route: `PATCH /v1/keys/${hash}`,
    body: { workspace_id: account.defaultWorkspaceId },
  }),
  'creator-not-a-member': ({ hash, deserted }) => ({
    route: `PATCH /v1/keys/${hash}`,
    body: { workspace_id: deserted },
  }),
  'hash-used': ({ hash, individual }) => ({
    route: `PUT /v1/keys/${hash}`,
    key: individual.managementKey,
    body: { name: 'a' },
  }),
  'string-ended': ({ rotatedKey: { data } }) => ({
    route: `PUT /v1/keys/${data.hash}`,
    body: { name: data.name },
  }),
  'grace-differs': ({ rotatedKey: { data }, newString }) => ({
    route: `PUT /v1/keys/${data.hash}/strings/${newString}`,
    body: { grace_seconds: 1 },
  }),
  // The real refusal needs 8 strings: `src/features/keys/domain/key-rotation.spec.ts` has them.
  'too-many-strings': ({ hash }) => ({
    route: `POST /v1/keys/${hash}/rotate`,
    fault: new Refusal('too-many-strings', { limit: 8 }),
  }),
  'last-string': ({ rotatedKey: { data }, newString }) => ({
    route: `DELETE /v1/keys/${data.hash}/strings/${newString}`,
  }),
  'key-differs': ({ hash }) => ({ route: `PUT /v1/keys/${hash}`, body: { name: 'another' } }),
  'end-user-already-registered': () => ({ route: 'POST /v1/end-users', body: { user: 'taken' } }),
  'workspace-slug-taken': () => ({
    route: 'POST /v1/workspaces',
    body: { name: 'a', slug: 'default' },
  }),
  'workspace-holds-keys': ({ crowded }) => ({ route: `DELETE /v1/workspaces/${crowded}` }),
  'default-workspace-not-deletable': () => ({ route: 'DELETE /v1/workspaces/default' }),
  'default-workspace-members-fixed': () => ({
    route: 'POST /v1/workspaces/default/members/add',
    body: { user_ids: ['user-ada'] },
  }),
  'member-unknown': ({ crowded }) => ({
    route: `POST /v1/workspaces/${crowded}/members/add`,
    body: { user_ids: ['user-nobody'] },
  }),
  // The default quotas are too high to use up. `test/service/quotas.e2e.spec.ts` uses up lower
  // ones.
  'quota-exceeded': () => ({
    route: CREATE,
    body: { name: 'a' },
    fault: quotaExceeded('api-keys', 1_000_000),
  }),
  // `test/service/servers/strict-log-server.e2e.spec.ts` has a log that accepts only small appends.
  'change-too-large': () => ({
    route: CREATE,
    body: { name: 'a' },
    fault: changeTooLarge(1_048_576),
  }),
  // The real refusal needs 20 s of conflicts:
  // `src/event-sourcing/decisions/overtaken-decisions.int.spec.ts` makes them.
  'too-many-writers': () => ({
    route: CREATE,
    body: { name: 'a' },
    fault: new Refusal('too-many-writers'),
  }),
  'internal-error': () => ({ route: LIST, fault: new Error('broken') }),
  unavailable: () => ({ route: LIST, fault: new Unavailable('event log', new Error('gone')) }),
  // `test/service/audit-events.e2e.spec.ts` has events of an unknown type.
  'event-unreadable': () => ({
    route: LIST,
    fault: new Unreadable('event 1 is of an unknown type'),
  }),
  'key-missing': ({ account }) => {
    const { headers, ...rest } = asks(account, '');
    return { ...rest, headers: { ...headers, Authorization: 'Basic x' } };
  },
  // A client of Node joins equal headers: `test/service/authorize.e2e.spec.ts` sends two.
  'key-ambiguous': ({ account, apiKey }) => ({
    ...asks(account, apiKey),
    fault: new Refusal('key-ambiguous'),
  }),
  'wrong-workspace': ({ account, apiKey }) => asks(account, apiKey, '?workspace_id=nowhere'),
  'limit-exceeded': ({ account, spentKey }) => asks(account, spentKey),
  'usage-report-differs': ({ reported, hash }) => ({
    route: `PUT /v1/usage-reports/${reported}`,
    body: { records: [{ key_hash: hash, cost: 2 }] },
  }),
  'occurred-at-out-of-range': ({ hash }) => ({
    route: `PUT /v1/usage-reports/${randomUUID()}`,
    body: { records: [{ key_hash: hash, cost: 1, occurred_at: '2001-01-01T00:00:00Z' }] },
  }),
  // `test/service/late-usage.e2e.spec.ts` reports faster than usage is counted.
  'usage-behind': ({ reported, hash }) => ({
    route: `PUT /v1/usage-reports/${reported}`,
    body: { records: [{ key_hash: hash, cost: 1 }] },
    fault: new Refusal('usage-behind'),
  }),
  // `test/service/used-keys.e2e.spec.ts` has the usage read side away.
  'stored-usage-unknown': ({ hash }) => ({
    route: `PATCH /v1/keys/${hash}`,
    body: { name: 'a' },
    fault: new Refusal('stored-usage-unknown'),
  }),
  'report-reversed': ({ reversed, hash }) => ({
    route: `PUT /v1/usage-reports/${reversed}`,
    body: { records: [{ key_hash: hash, cost: 1 }] },
  }),
  'gateway-unauthorized': ({ apiKey }) => ({ route: 'GET /v1/authorize', key: apiKey }),
};
