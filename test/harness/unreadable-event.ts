import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { EVENT_LOG, type EventLog } from '../../src/event-log/event-log.js';
import { metadataAt } from '../specs/metadata-at.js';

const FROM_THE_FUTURE = 99;

/** Stores an event that no projection of its type can read, in a new stream. @returns its id. */
export async function appendUnreadable(
  service: INestApplicationContext,
  type: string,
): Promise<string> {
  const id = randomUUID();
  const event = { id, type, version: FROM_THE_FUTURE, data: {}, metadata: metadataAt(0) };
  await service.get<EventLog>(EVENT_LOG).append(`unreadable-${id}`, [event], 'no-stream');
  return id;
}
