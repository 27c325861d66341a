import { type AccountEvent, accountEvents } from '../../accounts/domain/account.events.js';
import { type EndUserEvent, endUserEvents } from '../../end-users/domain/end-user.events.js';
import { type KeyEvent, keyEvents } from '../../keys/domain/key.events.js';
import { accountDescriptions } from './account-descriptions.js';
import {
  type Action,
  type Description,
  type Descriptions,
  type TargetType,
  targetTypeOf,
} from './description.js';
import { endUserDescriptions } from './end-user-descriptions.js';
import { keyDescriptions } from './key-descriptions.js';

export type AuditedEvent = AccountEvent | KeyEvent | EndUserEvent;

/** Every event that the audit trail describes. */
export const auditedEvents = [...accountEvents, ...keyEvents, ...endUserEvents] as const;

const DESCRIPTIONS: Descriptions<AuditedEvent> = {
  ...accountDescriptions,
  ...keyDescriptions,
  ...endUserDescriptions,
};

export const ACTIONS: readonly Action[] = auditedEvents.map(
  ({ type }) => descriptionOf(type).action,
);

/** Returns the description of a type of event. @throws Error when there is none, because tests run without a type check. */
export function descriptionOf(type: AuditedEvent['type']): Description<AuditedEvent> {
  if (!Object.hasOwn(DESCRIPTIONS, type))
    throw new Error(`${type} has no description in src/audit-trail/domain/`);
  return DESCRIPTIONS[type];
}

/** Returns the actions on targets of a type. */
export function actionsOn(type: TargetType): Action[] {
  return ACTIONS.filter((action) => targetTypeOf(action) === type);
}
