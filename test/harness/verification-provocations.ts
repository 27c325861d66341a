import { Refusal } from '../../src/kernel/errors.js';
import type { Provoke } from './error-provocations.js';
import { UNKNOWN_HASH } from './forms.js';

type Provocations = Readonly<Record<string, Provoke>>;

/** A valid body of each operation. */
export const VERIFICATION_BODIES: Readonly<Record<string, object>> = {
  'POST /v1/keys/verify': { hash: UNKNOWN_HASH },
  'POST /v1/keys/verify-batch': { requests: [{ hash: UNKNOWN_HASH }] },
  'POST /v1/oauth/introspect': Buffer.from('token=unknown'),
};

/** Whether an operation asks the query bus. */
export function isQuery(route: string): boolean {
  return route.startsWith('GET ') || route in VERIFICATION_BODIES;
}

/** Every error of the verifications. @param shared those of every operation. */
export function verificationErrors(shared: Provocations): Readonly<Record<string, Provocations>> {
  const verification: Provocations = {
    ...shared,
    'body-too-large': () => ({ body: 'x'.repeat(600_000) }),
    'encoding-unsupported': () => ({ body: '{}', headers: { 'Content-Encoding': 'compact' } }),
    // A thousand at once: `src/keys/verification-slots.spec.ts` meets them.
    'too-many-verifications': () => ({ fault: new Refusal('too-many-verifications') }),
  };
  return {
    'POST /v1/keys/verify': { ...verification, 'request-invalid': () => ({ body: {} }) },
    'POST /v1/keys/verify-batch': {
      ...verification,
      'request-invalid': () => ({ body: { requests: [{}] } }),
    },
    'POST /v1/oauth/introspect': { ...verification, 'request-invalid': () => ({ body: 'a=b' }) },
  };
}
