import { accountDirectory } from '../../features/accounts/account-directory/account-directory.projection.js';
import { accountEvents } from '../../features/accounts/domain/account.events.js';
import { auditTrail } from '../../features/audit-trail/audit-directory/audit-trail.projection.js';
import { endUserEvents } from '../../features/end-users/domain/end-user.events.js';
import { endUserDirectory } from '../../features/end-users/end-user-directory/end-user-directory.projection.js';
import { readSideOf } from '../../event-sourcing/projections/read-side.js';
import { keyEvents } from '../../features/keys/domain/key.events.js';
import { keyDirectory } from '../../features/keys/key-directory/key-directory.projection.js';

/** Every event that the service stores. */
export const EVENTS = [...accountEvents, ...keyEvents, ...endUserEvents];

/** Every projection of the service. */
export const PROJECTIONS = [accountDirectory, keyDirectory, endUserDirectory, auditTrail];

/** The read side of the log: every projection, folded together. */
export const MANAGEMENT = readSideOf('management', PROJECTIONS);
