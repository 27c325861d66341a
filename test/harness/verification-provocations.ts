import { Refusal } from '../../src/kernel/errors.js';
import type { Provoke } from './error-provocations.js';

type Provocations = Readonly<Record<string, Provoke>>;

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
  };
}
