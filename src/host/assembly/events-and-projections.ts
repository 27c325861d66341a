import { accountDirectory } from '../../features/accounts/account-directory/account-directory.projection.js';
import { accountEvents } from '../../features/accounts/domain/account.events.js';
import { auditTrail } from '../../features/audit-trail/audit-directory/audit-trail.projection.js';
import { endUserEvents } from '../../features/end-users/domain/end-user.events.js';
import { endUserDirectory } from '../../features/end-users/end-user-directory/end-user-directory.projection.js';
import { type ReadSide, readSideOf } from '../../event-sourcing/projections/read-side.js';
import type { EventDefinition } from '../../kernel/event.js';
import { keyEvents } from '../../features/keys/domain/key.events.js';
import { keyDirectory } from '../../features/keys/key-directory/key-directory.projection.js';
import { activity } from '../../features/usage/activity-directory/activity.projection.js';
import { usageEvents } from '../../features/usage/domain/usage.events.js';
import { keyUsage } from '../../features/usage/usage-directory/key-usage.projection.js';

/** Every event of the log of management. */
export const MANAGEMENT_EVENTS = [...accountEvents, ...keyEvents, ...endUserEvents];

/** Every event that the service stores. */
export const EVENTS = [...MANAGEMENT_EVENTS, ...usageEvents];

const MANAGEMENT_PROJECTIONS = [accountDirectory, keyDirectory, endUserDirectory, auditTrail];
const USAGE_PROJECTIONS = [keyUsage, activity];

/** Every projection of the service. */
export const PROJECTIONS = [...MANAGEMENT_PROJECTIONS, ...USAGE_PROJECTIONS];

/** The read side of the log of management: its projections, folded together. */
export const MANAGEMENT = readSideOf('management', MANAGEMENT_PROJECTIONS);

/** The logs of the service, by the names of their read sides. */
export type LogName = 'management' | 'usage';

/** What a log holds, and what is folded from it. */
interface Log {
  /** The name of a log beside the first one. */
  readonly log?: string;
  /** How many events a first start writes into it: the first account, its member, its workspace and its key. */
  readonly firstEvents: number;
  readonly events: readonly EventDefinition[];
  readonly readSide: ReadSide;
}

export const LOGS: Readonly<Record<LogName, Log>> = {
  management: { firstEvents: 4, events: MANAGEMENT_EVENTS, readSide: MANAGEMENT },
  usage: {
    log: 'usage',
    firstEvents: 0,
    events: usageEvents,
    readSide: readSideOf('usage', USAGE_PROJECTIONS),
  },
};
