import streams, {
  type DeleteReq,
  type DeleteResp,
  type TombstoneReq,
  type TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { handleUnaryCall } from '@grpc/grpc-js';
import type { ExpectedRevision } from './append-check.js';
import type { Database, WriteOutcome } from './database.js';
import { streamDeleted, wrongExpectedVersion } from './refusal.js';
import { expectedRevisionOf, streamOf } from './requests.js';

/** Expected revisions as the numbers in trailers. */
const IN_TRAILERS = { any: -2, 'no-stream': -1, 'stream-exists': -4 } as const;

export function deleteHandler(database: Database): handleUnaryCall<DeleteReq, DeleteResp> {
  return ({ request }, callback) => {
    const options = request.getOptions() ?? new streams.DeleteReq.Options();
    const stream = streamOf(options);
    const expected = expectedRevisionOf(options, options.getRevision());
    database
      .softDelete(stream, expected)
      .then((outcome) => {
        const place = new streams.DeleteResp.Position();
        const position = positionOf(outcome, stream, expected);
        place.setCommitPosition(position).setPreparePosition(position);
        return new streams.DeleteResp().setPosition(place);
      })
      .then((answer) => callback(null, answer), callback);
  };
}

export function tombstoneHandler(database: Database): handleUnaryCall<TombstoneReq, TombstoneResp> {
  return ({ request }, callback) => {
    const options = request.getOptions() ?? new streams.TombstoneReq.Options();
    const stream = streamOf(options);
    const expected = expectedRevisionOf(options, options.getRevision());
    database
      .tombstone(stream, expected)
      .then((outcome) => {
        const place = new streams.TombstoneResp.Position();
        const position = positionOf(outcome, stream, expected);
        place.setCommitPosition(position).setPreparePosition(position);
        return new streams.TombstoneResp().setPosition(place);
      })
      .then((answer) => callback(null, answer), callback);
  };
}

/** @throws Refusal when nothing was written. */
function positionOf(outcome: WriteOutcome, stream: string, expected: ExpectedRevision): string {
  switch (outcome.kind) {
    case 'written':
      return String(outcome.position);
    case 'deleted':
      throw streamDeleted(stream);
    case 'wrong-revision': {
      const number = typeof expected === 'number' ? expected : IN_TRAILERS[expected];
      throw wrongExpectedVersion(stream, number, outcome.current);
    }
  }
}
