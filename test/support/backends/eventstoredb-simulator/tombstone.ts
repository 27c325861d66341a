import streams, {
  type TombstoneReq,
  type TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { handleUnaryCall } from '@grpc/grpc-js';
import type { Database } from './database.js';
import { streamDeleted } from './refusal.js';
import { streamOf } from './requests.js';

export function tombstoneHandler(database: Database): handleUnaryCall<TombstoneReq, TombstoneResp> {
  return ({ request }, callback) => {
    const stream = streamOf(request.getOptions() ?? new streams.TombstoneReq.Options());
    database
      .tombstone(stream)
      .then((outcome) => {
        if (outcome.kind !== 'written') throw streamDeleted(stream);
        const position = String(outcome.position);
        const place = new streams.TombstoneResp.Position();
        place.setCommitPosition(position).setPreparePosition(position);
        return new streams.TombstoneResp().setPosition(place);
      })
      .then((answer) => callback(null, answer), callback);
  };
}
