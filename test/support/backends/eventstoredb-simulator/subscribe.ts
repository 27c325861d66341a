import streams, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { randomUUID } from 'node:crypto';
import {
  allForwards,
  type Cursor,
  invalidSubscriptionPosition,
  requireReadable,
} from './cursor.js';
import type { Database } from './database.js';
import type { EventIndex } from './event-index.js';
import type { ReadCall } from './read-call.js';

/**
 * Sends all events after a place whose streams have a wanted prefix, then each new one, until the
 * client has enough.
 */
export async function subscribe(
  database: Database,
  options: ReadReq.Options,
  reading: ReadCall,
): Promise<never> {
  const next = cursorOf(database.index, options.getAll());
  const prefixes = options.getFilter()?.getStreamIdentifier()?.getPrefixList() ?? [''];
  const send = (message: InstanceType<typeof streams.ReadResp>): Promise<void> =>
    reading.send(Buffer.from(message.serializeBinary()));
  const confirmation = new streams.ReadResp.SubscriptionConfirmation();
  confirmation.setSubscriptionId(randomUUID());
  await send(new streams.ReadResp().setConfirmation(confirmation));
  let isLive = false;
  for (;;) {
    const event = next();
    if (event !== undefined) {
      const isWanted = prefixes.some((prefix) => event.stream.startsWith(prefix));
      if (isWanted) await reading.sendEvent(event.bytes);
    } else if (isLive) await database.grown(reading.cancelled);
    else {
      await send(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
      isLive = true;
    }
  }
}

/**
 * The event at the given position is not included, because a client resumes after it. A position
 * beyond the end skips all events before it.
 */
function cursorOf(index: EventIndex, options: ReadReq.Options.AllOptions | undefined): Cursor {
  const asked = options?.getPosition();
  if (asked === undefined) {
    return allForwards(index, options?.hasEnd() === true ? index.all.length : 0);
  }
  const position = Number(asked.getCommitPosition());
  requireReadable(index, position, invalidSubscriptionPosition());
  const next = allForwards(index, index.placeOf(position));
  return () => {
    let event = next();
    while (event !== undefined && event.position <= position) event = next();
    return event;
  };
}
