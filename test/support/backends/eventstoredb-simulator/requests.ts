import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js';
import { status } from '@grpc/grpc-js';
import type { ExpectedRevision } from './append-check.js';
import { Refusal } from './refusal.js';

interface NamesStream {
  getStreamIdentifier(): StreamIdentifier | undefined;
}

interface ExpectsRevision {
  hasAny(): boolean;
  hasNoStream(): boolean;
  hasRevision(): boolean;
  getRevision(): string;
}

export function streamOf(options: NamesStream): string {
  return Buffer.from(options.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
}

export function expectedRevisionOf(options: ExpectsRevision): ExpectedRevision {
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'no-stream';
  if (options.hasRevision()) return Number(options.getRevision());
  throw new Refusal(status.UNIMPLEMENTED, 'The simulator does not know this expected revision.');
}
