import { createHash, randomUUID } from 'node:crypto';
import { FirstStart } from '../src/accounts/first-start/first-start.js';
import { createApp } from '../src/bootstrap.js';
import type { EndUserEvent } from '../src/end-users/domain/end-user.events.js';
import { streamOf } from '../src/end-users/stream-of.js';
import { EVENT_LOG, type EventLog, type StoredEvent } from '../src/event-log/event-log.js';
import { EventRegistry } from '../src/event-log/event-registry.js';
import { START } from '../src/kernel/position.js';
import { createLogger } from '../src/process/logger.js';
import { readSettings } from '../src/settings/settings.js';

const AT_ONCE = 5_000;
const FIRST_MOMENT = Date.UTC(2026, 0, 1);

/** Fills the event log of an empty data directory: one organization with many end users, as HTTP would write it. */
export async function buildLog(dataDir: string, key: string, endUsers: number): Promise<void> {
  await write(dataDir, key, 'EndUserRegistered', endUsers, () => true);
}

/** Deactivates or reactivates those of the end users of `buildLog` whose place in the order of registration is wanted. */
export async function setActive(
  dataDir: string,
  key: string,
  active: boolean,
  endUsers: number,
  wanted: (ordinal: number) => boolean,
): Promise<void> {
  const type = active ? 'EndUserReactivated' : 'EndUserDeactivated';
  await write(dataDir, key, type, endUsers, wanted);
}

async function write(
  dataDir: string,
  key: string,
  type: EndUserEvent['type'],
  endUsers: number,
  wanted: (ordinal: number) => boolean,
): Promise<void> {
  const settings = readSettings({ DATA_DIR: dataDir, BOOTSTRAP_MANAGEMENT_KEY: key });
  const app = await createApp(settings, createLogger('warn'));
  await app.get(FirstStart).run(key);
  const log = app.get<EventLog>(EVENT_LOG);
  const happen = eventMaker(await organizationOf(log), app.get(EventRegistry), type);
  const expected = type === 'EndUserRegistered' ? 'no-stream' : 'any';
  for (let first = 0; first < endUsers; first += AT_ONCE) {
    const count = Math.min(AT_ONCE, endUsers - first);
    const ordinals = Array.from({ length: count }, (_, index) => first + index).filter(wanted);
    await Promise.all(
      ordinals.map((ordinal) => {
        const { stream, event } = happen(ordinal);
        return log.append(stream, [event], expected);
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

function eventMaker(organizationId: string, registry: EventRegistry, type: EndUserEvent['type']) {
  const actor = {
    type: 'management-key' as const,
    id: createHash('sha256').update('bench').digest('hex'),
    user_id: `user-${randomUUID()}`,
  };
  return (index: number): { stream: string; event: StoredEvent } => {
    // Ids in no order, as those of real tenants are: the hardest case for every index.
    const user = `user-${createHash('sha256').update(String(index)).digest('hex').slice(0, 24)}`;
    const data = { organization_id: organizationId, user };
    const requestId = randomUUID();
    const metadata = {
      occurred_at: new Date(FIRST_MOMENT + index * 10).toISOString(),
      actor,
      account_id: organizationId,
      request_id: requestId,
      correlation_id: requestId,
      causation_id: randomUUID(),
    };
    const encoded = registry.encode({ type, data });
    return {
      stream: streamOf(organizationId, user),
      event: { id: randomUUID(), ...encoded, metadata },
    };
  };
}
