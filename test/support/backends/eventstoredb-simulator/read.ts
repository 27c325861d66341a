import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { status } from '@grpc/grpc-js';
import {
  allBackwards,
  allForwards,
  type Cursor,
  invalidReadPosition,
  requireReadable,
  streamBackwards,
  streamForwards,
} from './cursor.js';
import type { Database } from './database.js';
import type { EventIndex } from './event-index.js';
import type { ReadCall } from './read-call.js';
import { Refusal, streamDeleted } from './refusal.js';
import { positionOf, streamOf } from './requests.js';

/** Reads from a place in one direction, up to a number of events. */
export async function read(
  { index }: Database,
  options: ReadReq.Options,
  reading: ReadCall,
): Promise<void> {
  const count = Number(options.getCount());
  if (count <= 0) throw new Refusal(status.UNKNOWN, 'The number of events must be positive.');
  const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
  const stream = options.getStream();
  if (stream !== undefined && !(await isReadable(index, streamOf(stream), reading))) return;
  const next =
    stream === undefined
      ? allCursor(index, options.getAll(), backwards)
      : streamCursor(index, stream, backwards);
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
  if (stream.lastRevision >= 0 && !stream.isSoftDeleted) return true;
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(name));
  const answer = new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifier),
  );
  await reading.send(Buffer.from(answer.serializeBinary()));
  return false;
}

function streamCursor(
  index: EventIndex,
  options: ReadReq.Options.StreamOptions,
  backwards: boolean,
): Cursor {
  const name = streamOf(options);
  if (backwards) {
    const last = options.hasRevision()
      ? Number(options.getRevision())
      : options.hasEnd()
        ? Infinity
        : 0;
    return streamBackwards(index, name, last);
  }
  if (options.hasEnd())
    throw new Refusal(status.UNKNOWN, 'A read forwards cannot begin at the end.');
  return streamForwards(index, name, options.hasRevision() ? Number(options.getRevision()) : 0);
}

/** Forwards, the position is included; backwards, it is not. */
function allCursor(
  index: EventIndex,
  options: ReadReq.Options.AllOptions | undefined,
  backwards: boolean,
): Cursor {
  const asked = options?.getPosition();
  if (asked === undefined) {
    const from = options?.hasEnd() === true ? index.all.length : 0;
    return backwards ? allBackwards(index, from) : allForwards(index, from);
  }
  const position = positionOf(asked);
  requireReadable(index, position, invalidReadPosition());
  const place = index.placeOf(position);
  return backwards ? allBackwards(index, place) : allForwards(index, place);
}
