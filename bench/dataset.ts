import { createHash, randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { INestApplicationContext } from '@nestjs/common';
import { FirstStart } from '../src/features/accounts/first-start/first-start.js';
import { createApp } from '../src/host/assembly/application.js';
import type { EndUserEvent } from '../src/features/end-users/domain/end-user.events.js';
import { endUserId, endUserStream } from '../src/features/end-users/domain/end-user.js';
import type {
  EventLog,
  ExpectedRevision,
  StoredEvent,
} from '../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../src/event-sourcing/ledger.js';
import { EventRegistry } from '../src/event-sourcing/event-log/event-registry.js';
import type { EventMetadata } from '../src/kernel/metadata.js';
import { START } from '../src/kernel/position.js';
import { openLogger } from '../src/host/process/logger.js';
import { readSettings } from '../src/host/settings/settings.js';
import { eventsUpToHead } from '../src/event-sourcing/event-log/events-up-to-head.js';

/** Appends at once: few enough for a slow log server within the deadline of one append. */
const AT_ONCE = 1_000;
const FIRST_MOMENT = Date.UTC(2026, 0, 1);

/** One append to a stream. */
export interface Append {
  readonly stream: string;
  readonly events: readonly StoredEvent[];
  readonly expected: ExpectedRevision;
}

/** Gives the append with a number, in an account; null for none. */
export type Appends = (
  accountId: string,
  registry: EventRegistry,
  app: INestApplicationContext,
) => Promise<(index: number) => Append | null>;

/**
 * Fills the event log of an empty data directory with one organization and many end users, as HTTP
 * would write it.
 * @param servers settings that name servers in place of the embedded backends.
 * @param run makes the tracking strings of this log differ from those of others.
 */
export function buildLog(
  dataDir: string,
  key: string,
  endUsers: number,
  servers: Readonly<Record<string, string>> = {},
  run = '',
): Promise<void> {
  return writeLog(
    dataDir,
    key,
    endUsers,
    async (organizationId, registry) =>
      happening('EndUserRegistered', 'no-stream', organizationId, registry, run),
    servers,
  );
}

/**
 * Deactivates or reactivates end users of `buildLog`, chosen by their place in the order of
 * registration.
 */
export function setActive(
  dataDir: string,
  key: string,
  active: boolean,
  endUsers: number,
  wanted: (ordinal: number) => boolean,
): Promise<void> {
  const type = active ? 'EndUserReactivated' : 'EndUserDeactivated';
  return writeLog(dataDir, key, endUsers, async (organizationId, registry) => {
    const happen = happening(type, active ? 1 : 0, organizationId, registry);
    return (index) => (wanted(index) ? happen(index) : null);
  });
}

/** Writes to the event log of a data directory. Makes the first account if there is none. */
export async function writeLog(
  dataDir: string,
  key: string,
  total: number,
  appends: Appends,
  servers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const settings = readSettings({ DATA_DIR: dataDir, BOOTSTRAP_MANAGEMENT_KEY: key, ...servers });
  const app = await createApp(settings, openLogger('warn').logger);
  await app.get(FirstStart).run(key);
  const log = app.get<EventLog>(MANAGEMENT.log);
  const appendOf = await appends(
    await organizationOf(log),
    app.get<EventRegistry>(MANAGEMENT.registry),
    app,
  );
  for (let first = 0; first < total; first += AT_ONCE) {
    const count = Math.min(AT_ONCE, total - first);
    await Promise.all(
      Array.from({ length: count }, (_, index) => appendOf(first + index))
        .filter((append) => append !== null)
        .map(({ stream, events, expected }) => log.append(stream, events, expected)),
    );
  }
  await app.close();
}

export async function organizationOf(log: EventLog): Promise<string> {
  for await (const { events } of eventsUpToHead(log, START)) {
    if (events[0]) return events[0].metadata.account_id;
  }
  throw new Error('the log has no account');
}

/** Makes a function that gives the metadata of the event with a number. */
export function origins(accountId: string): (index: number) => EventMetadata {
  const actor = {
    type: 'management-key' as const,
    id: createHash('sha256').update('bench').digest('hex'),
    user_id: `user-${randomUUID()}`,
  };
  return (index) => {
    const requestId = randomUUID();
    return {
      occurred_at: new Date(FIRST_MOMENT + index * 10).toISOString(),
      actor,
      account_id: accountId,
      request_id: requestId,
      correlation_id: requestId,
      causation_id: randomUUID(),
    };
  };
}

function happening(
  type: EndUserEvent['type'],
  expected: ExpectedRevision,
  organizationId: string,
  registry: EventRegistry,
  run = '',
): (index: number) => Append {
  const originOf = origins(organizationId);
  return (index) => {
    // Tracking strings in random order, like those of real tenants, are the hardest case for an
    // index.
    const user = `user-${createHash('sha256').update(`${run}${index}`).digest('hex').slice(0, 24)}`;
    const data = { organization_id: organizationId, user };
    const event = {
      id: uuidv7(),
      ...registry.encode({ type, data }),
      metadata: originOf(index),
    };
    return { stream: endUserStream(endUserId(organizationId, user)), events: [event], expected };
  };
}
