import type { EventFilter } from '../../../src/features/audit-trail/audit-directory/event-filter.js';
import type { AuditedEvent } from '../../../src/features/audit-trail/domain/descriptions.js';
import type { Actor } from '../../../src/kernel/metadata.js';
import { keyCreated } from '../histories/keys.js';
import type { Deed } from './audit-shelf.js';
import { timeAt } from './metadata-at.js';

export const ACCOUNT = 'account-1';
export const OTHER = 'account-2';

export const KEY_OF_ADA: Actor = { type: 'management-key', id: 'hash-1', user_id: 'ada' };
const SECOND_OF_ADA: Actor = { type: 'management-key', id: 'hash-2', user_id: 'ada' };
export const KEY_OF_BOB: Actor = { type: 'management-key', id: 'hash-3', user_id: 'bob' };
export const OPERATOR: Actor = { type: 'operator', id: 'ada', user_id: null };
const ACTORS = [KEY_OF_ADA, SECOND_OF_ADA, KEY_OF_BOB, OPERATOR];

let created = 0;

/** Makes events of several kinds. Some have equal times, and some later ones have earlier times. */
export function deeds(count: number, account = ACCOUNT): Deed[] {
  return Array.from({ length: count }, (_, index) => ({
    account,
    event: eventOf(index),
    actor: ACTORS[index % ACTORS.length] ?? OPERATOR,
    hour: Math.floor(index / 2) + (index % 5),
  }));
}

function eventOf(index: number): AuditedEvent {
  const one = Math.floor(index / 7) % 3;
  const user = `user-${one}`;
  const hash = `key-${one}`;
  switch (index % 7) {
    case 0:
      return keyCreated({ hash: `new-${created++}` });
    case 1:
      return { type: 'ApiKeyDisabled', data: { hash } };
    case 2:
      return { type: 'ApiKeyEnabled', data: { hash } };
    case 3:
      return { type: 'EndUserRegistered', data: { organization_id: ACCOUNT, user } };
    case 4:
      return { type: 'EndUserDeactivated', data: { organization_id: ACCOUNT, user } };
    case 5:
      return { type: 'MemberAdded', data: { account_id: ACCOUNT, user_id: user } };
    default:
      return { type: 'WorkspaceMemberAdded', data: { workspace_id: 'eu', user_id: user } };
  }
}

const CHOICES = {
  actions: [
    undefined,
    ['key.disabled'],
    ['key.enabled', 'end-user.registered', 'key.enabled'],
    ['key.created', 'member.added', 'workspace.member-added'],
  ],
  actor: [undefined, 'ada', 'hash-2', 'bob', 'nobody'],
  target: [
    undefined,
    { type: 'key' },
    { type: 'account' },
    { type: 'key', id: 'key-1' },
    { type: 'end-user', id: 'user-2' },
    { type: 'workspace', id: 'eu' },
    { type: 'member', id: 'nobody' },
  ],
  from: [undefined, timeAt(7), timeAt(30)],
  to: [undefined, timeAt(20), timeAt(7)],
} as const satisfies Record<keyof EventFilter, unknown>;

/** Gives every combination of the choices. */
export function filters(): EventFilter[] {
  return Object.entries(CHOICES).reduce<EventFilter[]>(
    (before, [field, values]) =>
      before.flatMap((filter) =>
        values.map((value) => (value === undefined ? filter : { ...filter, [field]: value })),
      ),
    [{}],
  );
}
