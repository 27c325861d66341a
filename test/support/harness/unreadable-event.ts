import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import type { EventLog } from '../../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../../src/event-sourcing/ledger.js';
import type { EventMetadata } from '../../../src/kernel/metadata.js';
import { metadataAt } from '../specs/metadata-at.js';

const FROM_THE_FUTURE = 99;

/**
 * Stores an unreadable event in a stream of its own.
 * @param accountId the account that the event names, which its projections park. Without it, no
 * projection of the event's type goes on.
 * @param log the name under which the log is injected.
 * @returns the id of the event.
 */
export async function appendUnreadable(
  service: INestApplicationContext,
  type: string,
  accountId?: string,
  log: symbol = MANAGEMENT.log,
): Promise<string> {
  const id = randomUUID();
  const named = metadataAt(0, accountId);
  const { account_id: _, ...unnamed } = named;
  const metadata = accountId === undefined ? (unnamed as EventMetadata) : named;
  const event = { id, type, version: FROM_THE_FUTURE, data: {}, metadata };
  await service.get<EventLog>(log).append(`unreadable-${id}`, [event], 'no-stream');
  return id;
}
