import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

export const TOMBSTONE_TYPE = '$streamDeleted';
const TOMBSTONE_REVISION = '9223372036854775807';
const TICKS_PER_MS = 10_000;

export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly customMetadata: Uint8Array;
}

/**
 * An event of the log. It is encoded once: the same bytes are stored in the file and sent by a
 * read.
 */
export interface StoredEvent {
  readonly id: string;
  readonly stream: string;
  readonly type: string;
  readonly revision: number;
  readonly position: number;
  readonly bytes: Buffer;
}

export function encode(
  { id, type, contentType, data, customMetadata }: ProposedEvent,
  stream: string,
  revision: number,
  position: number,
): StoredEvent {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(id))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setStreamRevision(type === TOMBSTONE_TYPE ? TOMBSTONE_REVISION : String(revision))
    .setCommitPosition(String(position))
    .setPreparePosition(String(position))
    .setCustomMetadata(customMetadata)
    .setData(data);
  recorded
    .getMetadataMap()
    .set('type', type)
    .set('content-type', contentType)
    .set('created', String(Date.now() * TICKS_PER_MS));
  const answer = new streams.ReadResp().setEvent(
    new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(String(position)),
  );
  return { id, stream, type, revision, position, bytes: Buffer.from(answer.serializeBinary()) };
}

export function decode(bytes: Buffer): StoredEvent {
  const recorded = streams.ReadResp.deserializeBinary(bytes).getEvent()?.getEvent();
  if (recorded === undefined) throw new Error('the log file holds something that is no event');
  return {
    id: recorded.getId()?.getString() ?? '',
    stream: Buffer.from(recorded.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(),
    type: recorded.getMetadataMap().get('type') ?? '',
    revision: Number(recorded.getStreamRevision()),
    position: Number(recorded.getCommitPosition()),
    bytes,
  };
}
