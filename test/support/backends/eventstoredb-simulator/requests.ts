import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js';
import type { ExpectedRevision } from './append-check.js';
import type { LogPosition } from './event-index.js';

interface NamesStream {
  getStreamIdentifier(): StreamIdentifier | undefined;
}

interface ExpectsRevision {
  hasAny(): boolean;
  hasNoStream(): boolean;
  hasStreamExists(): boolean;
}

interface IsPosition {
  getCommitPosition(): string;
  getPreparePosition(): string;
}

export function streamOf(options: NamesStream): string {
  return Buffer.from(options.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
}

export function expectedRevisionOf(options: ExpectsRevision, revision: string): ExpectedRevision {
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'no-stream';
  if (options.hasStreamExists()) return 'stream-exists';
  return Number(revision);
}

export function positionOf(asked: IsPosition): LogPosition {
  return { commit: Number(asked.getCommitPosition()), prepare: Number(asked.getPreparePosition()) };
}
