import { UNKNOWN_HASH } from './forms.js';

/** A valid body of each operation that asks about a key and changes nothing. */
const QUESTIONS: Readonly<Record<string, object>> = {
  'POST /v1/keys/verify': { hash: UNKNOWN_HASH },
  'POST /v1/oauth/introspect': Buffer.from('token=unknown'),
};

/** Whether an operation changes nothing. */
export function isQuery(route: string): boolean {
  return route.startsWith('GET ') || route in QUESTIONS;
}

/** Gives a valid body of an operation. */
export function goodBodyOf(route: string): object {
  const question = QUESTIONS[route];
  if (question) return question;
  if (route.endsWith('budget')) return { limit: 1 };
  if (route.includes('/strings/')) return { grace_seconds: 60 };
  if (route.endsWith('/rotate')) return { grace_seconds: 60 };
  if (route.endsWith('/expiry')) return { expires_at: null };
  if (route.startsWith('PUT /v1/usage-reports'))
    return { records: [{ key_hash: UNKNOWN_HASH, cost: 1 }] };
  if (route.includes('/v1/management-keys')) return { role: 'gateway' };
  if (/^PATCH .*-users/.test(route)) return { is_active: true };
  return route.endsWith('-users') ? { user: 'a' } : { name: 'a', user_ids: ['a'] };
}
