import { accountDirectory } from './accounts/account-directory/account-directory.projection.js';
import { accountEvents } from './accounts/domain/account.events.js';
import { auditTrail } from './audit-trail/audit-directory/audit-trail.projection.js';
import { endUserEvents } from './end-users/domain/end-user.events.js';
import { endUserDirectory } from './end-users/end-user-directory/end-user-directory.projection.js';
import { keyEvents } from './keys/domain/key.events.js';
import { keyDirectory } from './keys/key-directory/key-directory.projection.js';

/** Every event that the service stores. */
export const EVENTS = [...accountEvents, ...keyEvents, ...endUserEvents];

/** Every projection of the service. */
export const PROJECTIONS = [accountDirectory, keyDirectory, endUserDirectory, auditTrail];
