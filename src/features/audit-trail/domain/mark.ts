import { hash } from 'node:crypto';
import type { Action } from './audit-event.js';

/** Characters of 6 bits each, in all too many for anybody to meet the mark of another account. */
const LENGTH = 11;

/**
 * Returns the mark of the events of an account that have an action and a name: of an actor, user or
 * target. An index of marks takes a third of the bytes of one of accounts, actions and names. Who
 * reads through it compares these, because other events with the same mark are improbable only.
 */
export function markOf(accountId: string, action: Action, name: string): string {
  return hash('sha256', `${accountId} ${action} ${name}`, 'base64url').slice(0, LENGTH);
}
