import codes from '@eventstore/db-client/generated/code_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses, { type Status } from '@eventstore/db-client/generated/status_pb.js';
import { status } from '@grpc/grpc-js';
import anys from 'google-protobuf/google/protobuf/any_pb.js';
import empties from 'google-protobuf/google/protobuf/empty_pb.js';
import type { ExpectedRevision } from './append-check.js';
import type { Refusal } from './refusal.js';

const { Code } = codes;

interface Packable {
  serializeBinary(): Uint8Array;
}

/** Gives a refusal as the answer to one append of a batch; undefined for a refusal that ends the whole call. */
export function batchStatus(refusal: Refusal): Status | undefined {
  const [exception] = refusal.metadata.get('exception');
  const [limit] = refusal.metadata.get('maximum-append-size');
  const text = refusal.details;
  if (exception === 'not-leader' || refusal.code === status.INTERNAL) return undefined;
  if (exception === 'stream-deleted') {
    return pack(Code.NOT_FOUND, text, own('StreamDeleted'), new shared.StreamDeleted());
  }
  if (exception === 'access-denied') {
    return pack(Code.PERMISSION_DENIED, text, own('AccessDenied'), new shared.AccessDenied());
  }
  if (exception === 'maximum-append-size-exceeded') {
    const details = new shared.MaximumAppendSizeExceeded().setMaxappendsize(Number(limit));
    return pack(Code.INVALID_ARGUMENT, text, own('MaximumAppendSizeExceeded'), details);
  }
  if (refusal.code === status.ABORTED) {
    return pack(Code.DEADLINE_EXCEEDED, text, own('Timeout'), new shared.Timeout());
  }
  if (refusal.code === status.UNAVAILABLE) {
    return pack(Code.UNAVAILABLE, text, 'google.protobuf.Empty', new empties.Empty());
  }
  return pack(Code.UNKNOWN, text, own('Unknown'), new shared.Unknown());
}

export function conflictStatus(expected: ExpectedRevision, current: number): Status {
  const details = new shared.WrongExpectedVersion();
  if (current < 0) details.setCurrentNoStream(new empties.Empty());
  else details.setCurrentStreamRevision(String(current));
  switch (expected) {
    case 'any':
      details.setExpectedAny(new empties.Empty());
      break;
    case 'no-stream':
      details.setExpectedNoStream(new empties.Empty());
      break;
    case 'stream-exists':
      details.setExpectedStreamExists(new empties.Empty());
      break;
    default:
      details.setExpectedStreamPosition(String(expected));
  }
  return pack(Code.ALREADY_EXISTS, 'WrongExpectedVersion', own('WrongExpectedVersion'), details);
}

function own(type: string): string {
  return `event_store.client.${type}`;
}

function pack(
  code: Parameters<Status['setCode']>[0],
  text: string,
  type: string,
  message: Packable,
): Status {
  const details = new anys.Any();
  details.pack(message.serializeBinary(), type);
  return new statuses.Status().setCode(code).setMessage(text).setDetails(details);
}
