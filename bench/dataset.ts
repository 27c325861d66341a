import { createHash, randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { FirstStart } from '../src/accounts/first-start/first-start.js';
import { createApp } from '../src/bootstrap.js';
import { endUserStream } from '../src/end-users/domain/end-user.js';
import { EVENT_LOG, type EventLog, type StoredEvent } from '../src/event-log/event-log.js';
import { EventRegistry } from '../src/event-log/event-registry.js';
import type { EventMetadata } from '../src/kernel/metadata.js';
import { START } from '../src/kernel/position.js';
import { createLogger } from '../src/process/logger.js';
import { readSettings } from '../src/settings/settings.js';

const AT_ONCE = 5_000;
const FIRST_MOMENT = Date.UTC(2026, 0, 1);

/** A stream that is written at once. */
export interface NewStream {
  readonly stream: string;
  readonly events: readonly StoredEvent[];
}

/** Gives the streams of an account by their number. */
export type Streams = (
  accountId: string,
  registry: EventRegistry,
  app: INestApplicationContext,
) => Promise<(index: number) => NewStream>;

/** Fills the event log of an empty data directory: one organization with many end users, as HTTP would write it. */
export function buildLog(dataDir: string, key: string, endUsers: number): Promise<void> {
  return writeLog(dataDir, key, endUsers, async (organizationId, registry) =>
    registration(organizationId, registry),
  );
}

/** Fills the event log of an empty data directory: one organization, and so many streams of it. */
export async function writeLog(
  dataDir: string,
  key: string,
  total: number,
  streams: Streams,
): Promise<void> {
  const settings = readSettings({ DATA_DIR: dataDir, BOOTSTRAP_MANAGEMENT_KEY: key });
  const app = await createApp(settings, createLogger('warn'));
  await app.get(FirstStart).run(key);
  const log = app.get<EventLog>(EVENT_LOG);
  const streamOf = await streams(await organizationOf(log), app.get(EventRegistry), app);
  for (let first = 0; first < total; first += AT_ONCE) {
    const count = Math.min(AT_ONCE, total - first);
    await Promise.all(
      Array.from({ length: count }, (_, index) => {
        const { stream, events } = streamOf(first + index);
        return log.append(stream, events, 'no-stream');
      }),
    );
  }
  await app.close();
}

async function organizationOf(log: EventLog): Promise<string> {
  for await (const { events } of log.readAll(START)) {
    if (events[0]) return events[0].metadata.account_id;
  }
  throw new Error('the log has no account');
}

/** Gives the metadata of events in an account by their number. */
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

function registration(
  organizationId: string,
  registry: EventRegistry,
): (index: number) => NewStream {
  const originOf = origins(organizationId);
  return (index) => {
    // Ids in no order, as those of real tenants are: the hardest case for every index.
    const user = `user-${createHash('sha256').update(String(index)).digest('hex').slice(0, 24)}`;
    const digest = createHash('sha256').update(organizationId).update(user).digest('hex');
    const data = { organization_id: organizationId, user };
    const encoded = registry.encode({ type: 'EndUserRegistered', data });
    return {
      stream: endUserStream(digest),
      events: [{ id: randomUUID(), ...encoded, metadata: originOf(index) }],
    };
  };
}
