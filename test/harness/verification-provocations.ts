import { Refusal } from '../../src/kernel/errors.js';
import type { Provoke } from './error-provocations.js';
import type { TestAccount } from './running-app.js';
import { UNKNOWN_HASH } from './forms.js';

type Provocations = Readonly<Record<string, Provoke>>;

/** A valid body of each operation. */
export const VERIFICATION_BODIES: Readonly<Record<string, object>> = {
  'POST /v1/keys/verify': { hash: UNKNOWN_HASH },
  'POST /v1/oauth/introspect': Buffer.from('token=unknown'),
};

/** Whether an operation uses the query bus. */
export function isQuery(route: string): boolean {
  return route.startsWith('GET ') || route in VERIFICATION_BODIES;
}

/** A gateway's question about a key. It has no client's key unless the caller adds one. */
function asks(gateway: TestAccount, key?: string, query = ''): ReturnType<Provoke> {
  const headers = { 'Keyledger-Authorization': `Bearer ${gateway.managementKey}` };
  return { headers, path: `/v1/authorize${query}`, ...(key !== undefined && { key }) };
}

function authorizationErrors(shared: Provocations): Provocations {
  const fault =
    (thrown: unknown): Provoke =>
    ({ account, apiKey }) => ({ ...asks(account, apiKey), fault: thrown });
  const faults = ['internal-error', 'unavailable', 'event-unreadable'].map(
    (code): [string, Provoke] => [
      code,
      (fixture) => ({ ...shared[code]?.(fixture), ...asks(fixture.account, fixture.apiKey) }),
    ],
  );
  return {
    ...Object.fromEntries(faults),
    'key-missing': ({ account }) => {
      const { headers, ...rest } = asks(account);
      return { ...rest, headers: { ...headers, Authorization: 'Basic x' } };
    },
    // A client of Node joins equal headers: `test/e2e/authorize.e2e.spec.ts` sends two.
    'key-ambiguous': fault(new Refusal('key-ambiguous')),
    'key-invalid': ({ account }) => asks(account, 'nobody-has-this'),
    'key-disabled': ({ exhausted, disabledKey }) => asks(exhausted, disabledKey),
    'key-expired': ({ exhausted, expiredKey }) => asks(exhausted, expiredKey),
    'wrong-workspace': ({ account, apiKey }) => asks(account, apiKey, '?workspace_id=nowhere'),
    'limit-exceeded': ({ account, spentKey }) => asks(account, spentKey, '?limit_status=429'),
    'gateway-unauthorized': ({ apiKey }) => ({ key: apiKey }),
    'request-invalid': ({ account, apiKey }) => asks(account, apiKey, '?limit_status=1'),
  };
}

/** Every error of the verifications. @param shared the errors of every operation. */
export function verificationErrors(shared: Provocations): Readonly<Record<string, Provocations>> {
  const verification: Provocations = {
    ...shared,
    'body-too-large': () => ({ body: 'x'.repeat(600_000) }),
    'charset-unsupported': () => ({
      body: '{}',
      headers: { 'Content-Type': 'application/json; charset=utf-16' },
    }),
    'encoding-unsupported': () => ({ body: '{}', headers: { 'Content-Encoding': 'compact' } }),
  };
  return {
    'POST /v1/keys/verify': {
      ...verification,
      'body-too-complex': () => ({ body: '{"a":'.repeat(33) + '1' + '}'.repeat(33) }),
      'request-invalid': () => ({ body: {} }),
    },
    'GET /v1/authorize': authorizationErrors(shared),
    'POST /v1/oauth/introspect': {
      ...verification,
      'authentication-malformed': () => ({ headers: { Authorization: 'Digest x' } }),
      'request-invalid': () => ({ body: 'a=b' }),
    },
  };
}
