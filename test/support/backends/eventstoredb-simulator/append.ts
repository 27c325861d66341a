import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, {
  type AppendReq,
  type AppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { sendUnaryData, ServerReadableStream } from '@grpc/grpc-js';
import type { ExpectedRevision } from './append-check.js';
import type { Database } from './database.js';
import { type Faults, suffer } from './faults.js';
import { proposedEvent, requireFitting } from './proposed-events.js';
import { Refusal, streamDeleted } from './refusal.js';
import { expectedRevisionOf, streamOf } from './requests.js';

type AppendCall = ServerReadableStream<AppendReq, AppendResp>;

/** Serves the append of the service: one call for each append. */
export function appendHandler(database: Database, faults: Faults) {
  return (call: AppendCall, callback: sendUnaryData<AppendResp>): void => {
    database.counter.counts.appends += 1;
    const messages: AppendReq[] = [];
    call.on('data', (message: AppendReq) => messages.push(message));
    call.on('end', () => {
      // A call whose connection ends looks complete at first, and is reported as cancelled only a
      // moment later.
      setImmediate(() => {
        if (call.cancelled) return;
        suffer(faults.meet('append', call.metadata), () => append(database, messages)).then(
          (answer) => callback(null, answer),
          (error: unknown) => callback(error instanceof Refusal ? error : new Error(String(error))),
        );
      });
    });
  };
}

async function append(database: Database, messages: readonly AppendReq[]): Promise<AppendResp> {
  const options = messages[0]?.getOptions() ?? new streams.AppendReq.Options();
  const stream = streamOf(options);
  const expected = expectedRevisionOf(options);
  const events = messages.flatMap((message) => {
    const proposed = message.getProposedMessage();
    return proposed === undefined ? [] : [proposedEvent(proposed)];
  });
  requireFitting(events, database.maxAppendBytes);
  await database.pace?.turn();
  const outcome = await database.append(stream, expected, events);
  switch (outcome.kind) {
    case 'written':
      return success(outcome.revision, outcome.position);
    case 'wrong-revision':
      return conflict(expected, outcome.current);
    case 'deleted':
      throw streamDeleted(stream);
  }
}

function success(revision: number, position: number): AppendResp {
  const place = new streams.AppendResp.Position();
  place.setCommitPosition(String(position)).setPreparePosition(String(position));
  return new streams.AppendResp().setSuccess(
    new streams.AppendResp.Success().setCurrentRevision(String(revision)).setPosition(place),
  );
}

function conflict(expected: ExpectedRevision, current: number): AppendResp {
  const conflict = new streams.AppendResp.WrongExpectedVersion();
  if (current < 0) conflict.setCurrentNoStream(new shared.Empty());
  else conflict.setCurrentRevision(String(current));
  if (expected === 'no-stream') conflict.setExpectedNoStream(new shared.Empty());
  else conflict.setExpectedRevision(String(expected));
  return new streams.AppendResp().setWrongExpectedVersion(conflict);
}
