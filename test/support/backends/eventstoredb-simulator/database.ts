import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { checkAppend, type ExpectedRevision } from './append-check.js';
import { EventIndex, metastreamOf } from './event-index.js';
import { LogFile, RecordBuilder } from './log-file.js';
import { endIfDeposed } from './membership.js';
import type { SimulatorOptions } from './options.js';
import { Pace } from './pace.js';
import { MAX_APPEND_BYTES } from './proposed-events.js';
import { RecentIds } from './recent-ids.js';
import {
  decode,
  encode,
  METADATA_TYPE,
  type ProposedEvent,
  type StoredEvent,
  TOMBSTONE_TYPE,
} from './stored-event.js';

const NOTHING = new Uint8Array();
const SOFT_DELETED_METADATA = '{"$tb":9223372036854775807}';

/** The result of a write. `current` is the revision of the stream's last event; -1 without a stream. */
export type WriteOutcome =
  | { readonly kind: 'written'; readonly revision: number; readonly position: number }
  | { readonly kind: 'wrong-revision'; readonly current: number }
  | { readonly kind: 'deleted' };

/** The log with its rules. Writes that arrive together are decided in order and share one sync. */
export class Database {
  index = new EventIndex();
  /** The number of reads of single streams so far. */
  streamReads = 0;
  private recent = new RecentIds();
  private readonly commits = new EventEmitter().setMaxListeners(0);
  private waiting: (() => () => void)[] = [];
  private staged: Buffer[] = [];
  private end: number;

  private constructor(
    private readonly path: string,
    private file: LogFile,
    readonly maxAppendBytes: number,
    readonly pace: Pace | undefined,
  ) {
    this.end = file.end;
  }

  static open(
    path: string,
    { maxAppendBytes = MAX_APPEND_BYTES, pace }: SimulatorOptions = {},
  ): Database {
    const { file, events } = LogFile.open(path);
    const database = new Database(path, file, maxAppendBytes, pace && new Pace());
    database.index = indexOf(events);
    return database;
  }

  /** Reads the log file again, as another leader wrote it. */
  takeUp(): void {
    this.file.close();
    const { file, events } = LogFile.open(this.path);
    this.file = file;
    this.end = file.end;
    this.index = indexOf(events);
    this.recent = new RecentIds();
  }

  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
  ): Promise<WriteOutcome> {
    return this.write(() => {
      const outcome = this.check(
        stream,
        expected,
        events.map(({ id }) => id),
      );
      if (outcome !== undefined) return outcome;
      const state = this.index.stream(stream);
      const writes = events.map((event) => ({ stream, event }));
      const undelete = { $tb: state.lastRevision + 1 };
      return written(
        state.isSoftDeleted
          ? this.stage([metadataWrite(stream, JSON.stringify(undelete)), ...writes])
          : this.stage(writes),
      );
    });
  }

  /** Hides the stored events. The stream goes on with the next append. */
  softDelete(stream: string, expected: ExpectedRevision): Promise<WriteOutcome> {
    return this.write(() => {
      const current = this.index.stream(stream).lastRevision;
      const outcome = this.check(stream, expected, [randomUUID()]);
      if (outcome !== undefined) return outcome;
      if (current < 0) return { kind: 'wrong-revision', current };
      return written(this.stage([metadataWrite(stream, SOFT_DELETED_METADATA)]));
    });
  }

  /** Ends the stream for good, even a stream that does not exist. */
  tombstone(stream: string, expected: ExpectedRevision): Promise<WriteOutcome> {
    return this.write(() => {
      const outcome = this.check(stream, expected, [randomUUID()]);
      if (outcome !== undefined) return outcome;
      return written(this.stage([{ stream, event: systemEvent(TOMBSTONE_TYPE, '') }]));
    });
  }

  /** Ends the process if another member leads by now. Writes without an answer do not count. */
  requireLead(): void {
    endIfDeposed(this.path);
  }

  /** Resolves at the next commit. */
  async grown(signal: AbortSignal): Promise<void> {
    await once(this.commits, 'commit', { signal });
  }

  private check(
    stream: string,
    expected: ExpectedRevision,
    ids: readonly string[],
  ): WriteOutcome | undefined {
    const verdict = checkAppend(this.index, this.recent, stream, expected, ids);
    switch (verdict.kind) {
      case 'write':
        return undefined;
      case 'repeat':
        return written(verdict.last);
      case 'wrong-revision':
        return { kind: 'wrong-revision', current: this.index.stream(stream).lastRevision };
      case 'deleted':
        return { kind: 'deleted' };
    }
  }

  private write(decide: () => WriteOutcome): Promise<WriteOutcome> {
    return new Promise((resolve) => {
      this.waiting.push(() => {
        const outcome = decide();
        return () => resolve(outcome);
      });
      if (this.waiting.length === 1) setImmediate(() => this.commit());
    });
  }

  /**
   * Synchronous, so that no read sees events that are not durable yet. A failing disk ends the process, as on a real
   * server.
   */
  private commit(): void {
    const { waiting } = this;
    this.waiting = [];
    const answers = waiting.map((decide) => decide());
    if (this.staged.length > 0) {
      this.file.append(this.staged);
      this.requireLead();
      this.staged = [];
      this.commits.emit('commit');
    }
    for (const answer of answers) answer();
  }

  /** @returns the last event. */
  private stage(writes: readonly Write[]): StoredEvent {
    const record = new RecordBuilder(this.end);
    let last: StoredEvent | undefined;
    for (const { stream, event } of writes) {
      last = encode(event, stream, this.index.stream(stream).lastRevision + 1, record.position);
      record.add(last.bytes);
      this.index.add(last);
      this.recent.add(last);
    }
    if (last === undefined) throw new Error('there is nothing to write');
    const bytes = record.build();
    this.staged.push(bytes);
    this.end += bytes.length;
    return last;
  }
}

function indexOf(events: readonly Buffer[]): EventIndex {
  const index = new EventIndex();
  for (const bytes of events) index.add(decode(bytes));
  return index;
}

interface Write {
  readonly stream: string;
  readonly event: ProposedEvent;
}

function written({ revision, position }: StoredEvent): WriteOutcome {
  return { kind: 'written', revision, position };
}

function metadataWrite(stream: string, json: string): Write {
  return { stream: metastreamOf(stream), event: systemEvent(METADATA_TYPE, json) };
}

function systemEvent(type: string, json: string): ProposedEvent {
  return {
    id: randomUUID(),
    type,
    contentType: 'application/json',
    data: Buffer.from(json),
    customMetadata: NOTHING,
  };
}
