import { type LedgerDefinition, MANAGEMENT } from '../../event-sourcing/ledger.js';
import { readSideOf } from '../../event-sourcing/projections/read-side.js';
import { accountDirectory } from '../../features/accounts/account-directory/account-directory.projection.js';
import { accountEvents } from '../../features/accounts/domain/account.events.js';
import { auditTrail } from '../../features/audit-trail/audit-directory/audit-trail.projection.js';
import { endUserEvents } from '../../features/end-users/domain/end-user.events.js';
import { endUserDirectory } from '../../features/end-users/end-user-directory/end-user-directory.projection.js';
import { keyEvents, reservationEvents } from '../../features/keys/domain/key.events.js';
import { limitReachedEvents } from '../../features/usage/domain/limit-reached.events.js';
import { keyDirectory } from '../../features/keys/key-directory/key-directory.projection.js';

export const management: LedgerDefinition = {
  tokens: MANAGEMENT,
  // The reserved string of the first key, the first account, its member, its workspace, the key.
  firstEvents: 5,
  events: [
    ...accountEvents,
    ...keyEvents,
    ...reservationEvents,
    ...endUserEvents,
    ...limitReachedEvents,
  ],
  readSide: readSideOf('management', [
    accountDirectory,
    keyDirectory,
    endUserDirectory,
    auditTrail,
  ]),
};
