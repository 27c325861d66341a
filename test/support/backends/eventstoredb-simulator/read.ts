import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import {
  allBackwards,
  allForwards,
  type Cursor,
  invalidReadPosition,
  requireReadable,
  streamForwards,
} from './cursor.js';
import type { Database } from './database.js';
import type { EventIndex } from './event-index.js';
import type { ReadCall } from './read-call.js';
import { streamDeleted } from './refusal.js';
import { streamOf } from './requests.js';

/** Reads up to a number of events from a place: a stream forwards, the log in one direction. */
export async function read(
  { index }: Database,
  options: ReadReq.Options,
  reading: ReadCall,
): Promise<void> {
  const count = Number(options.getCount());
  const stream = options.getStream();
  if (stream !== undefined && !(await isReadable(index, streamOf(stream), reading))) return;
  const next =
    stream === undefined
      ? allCursor(index, options)
      : streamForwards(index, streamOf(stream), Number(stream.getRevision()));
  for (let sent = 0; sent < count; sent += 1) {
    const event = next();
    if (event === undefined) return;
    await reading.sendEvent(event.bytes);
  }
}

/** Sends "stream not found" if there is no such stream. */
async function isReadable(index: EventIndex, name: string, reading: ReadCall): Promise<boolean> {
  const stream = index.stream(name);
  if (stream.tombstoned) throw streamDeleted(name);
  if (stream.events.length > 0) return true;
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(name));
  const answer = new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifier),
  );
  await reading.send(Buffer.from(answer.serializeBinary()));
  return false;
}

/** Forwards, the position is included; backwards, it is not. */
function allCursor(index: EventIndex, options: ReadReq.Options): Cursor {
  const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
  const first = firstPlace(index, options.getAll());
  return backwards ? allBackwards(index, first) : allForwards(index, first);
}

function firstPlace(index: EventIndex, options: ReadReq.Options.AllOptions | undefined): number {
  const asked = options?.getPosition();
  if (asked === undefined) return options?.hasEnd() === true ? index.all.length : 0;
  const position = Number(asked.getCommitPosition());
  requireReadable(index, position, invalidReadPosition());
  return index.placeOf(position);
}
