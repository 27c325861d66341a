import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { EVENT_LOG, type EventLog } from '../../src/event-log/event-log.js';
import type { EventMetadata } from '../../src/kernel/metadata.js';
import { metadataAt } from '../specs/metadata-at.js';

const FROM_THE_FUTURE = 99;

/**
 * Stores an event that cannot be read, in a stream of its own.
 * @param accountId the account that it names, which projections of its type park. Absent: it names none, and no projection
 * of its type gets past it.
 * @returns its id.
 */
export async function appendUnreadable(
  service: INestApplicationContext,
  type: string,
  accountId?: string,
): Promise<string> {
  const id = randomUUID();
  const named = metadataAt(0, accountId);
  const { account_id: _, ...unnamed } = named;
  const metadata = accountId === undefined ? (unnamed as EventMetadata) : named;
  const event = { id, type, version: FROM_THE_FUTURE, data: {}, metadata };
  await service.get<EventLog>(EVENT_LOG).append(`unreadable-${id}`, [event], 'no-stream');
  return id;
}
