import type { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, {
  type BatchAppendReq,
  type BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { batchStatus, conflictStatus } from './batch-status.js';
import type { Database } from './database.js';
import { type Faults, suffer } from './faults.js';
import { proposedEvent, requireFitting } from './proposed-events.js';
import { Refusal, streamDeleted } from './refusal.js';
import { expectedRevisionOf, streamOf } from './requests.js';

type BatchCall = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

/** Serves appends to all streams over one call. Each answer has the correlation id of its append. */
export function batchAppendHandler(database: Database, faults: Faults) {
  return (call: BatchCall): void => {
    const incomplete = new Map<string, BatchAppendReq[]>();
    const answering = new Set<Promise<void>>();
    call.on('data', (frame: BatchAppendReq) => {
      const id = frame.getCorrelationId();
      if (id === undefined) return;
      const frames = incomplete.get(id.getString()) ?? [];
      incomplete.set(id.getString(), [...frames, frame]);
      if (!frame.getIsFinal()) return;
      incomplete.delete(id.getString());
      const answered = answer(call, id, [...frames, frame], database, faults);
      answering.add(answered);
      void answered.finally(() => answering.delete(answered));
    });
    // If the server ended the call before the client ends its half, the client would take the call for alive and lose
    // later appends.
    call.on('end', () => void Promise.all(answering).then(() => call.end()));
  };
}

async function answer(
  call: BatchCall,
  id: UUID,
  frames: readonly BatchAppendReq[],
  database: Database,
  faults: Faults,
): Promise<void> {
  const options = frames[0]?.getOptions() ?? new streams.BatchAppendReq.Options();
  const response = new streams.BatchAppendResp().setCorrelationId(id);
  response.setStreamIdentifier(options.getStreamIdentifier());
  try {
    const fault = faults.meet('append', call.metadata);
    await suffer(fault, () => append(database, options, frames, response));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const refused = batchStatus(error);
    if (refused === undefined) {
      call.emit('error', error);
      return;
    }
    response.setError(refused);
  }
  call.write(response);
}

async function append(
  database: Database,
  options: BatchAppendReq.Options,
  frames: readonly BatchAppendReq[],
  response: BatchAppendResp,
): Promise<void> {
  const deadline = options.getDeadline()?.toDate();
  if (deadline !== undefined && deadline.getTime() < Date.now()) {
    throw new Refusal(status.ABORTED, 'Timeout');
  }
  const stream = streamOf(options);
  const expected = expectedRevisionOf(options, options.getStreamPosition());
  const events = frames.flatMap((frame) => frame.getProposedMessagesList()).map(proposedEvent);
  requireFitting(events, database.maxAppendBytes);
  await database.pace?.turn('batch');
  const outcome = await database.append(stream, expected, events);
  if (outcome.kind === 'deleted') throw streamDeleted(stream);
  if (outcome.kind === 'wrong-revision') {
    response.setError(conflictStatus(expected, outcome.current));
    return;
  }
  const position = new shared.AllStreamPosition();
  position.setCommitPosition(String(outcome.position)).setPreparePosition(String(outcome.position));
  const success = new streams.BatchAppendResp.Success();
  success.setCurrentRevision(String(outcome.revision)).setPosition(position);
  response.setSuccess(success);
}
