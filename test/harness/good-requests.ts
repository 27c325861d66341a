import { VERIFICATION_BODIES } from './verification-provocations.js';

/** Gives the query that an operation needs, with the tracking string of the registered end user. */
export function queryOf(route: string): string {
  return /^(?:PATCH|DELETE) .*-users$/.test(route) ? '?user=taken' : '';
}

/** Gives a valid body of an operation. */
export function goodBodyOf(route: string): object {
  const verification = VERIFICATION_BODIES[route];
  if (verification) return verification;
  if (/^PATCH .*-users/.test(route)) return { is_active: true };
  return route.endsWith('-users') ? { user: 'a' } : { name: 'a', user_ids: ['a'] };
}
