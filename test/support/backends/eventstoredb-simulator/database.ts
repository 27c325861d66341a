import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { checkAppend, type ExpectedRevision, type WriteOutcome, written } from './append-check.js';
import { Counter } from './counts.js';
import { EventIndex } from './event-index.js';
import { LogFile, RecordBuilder } from './log-file.js';
import { endIfDeposed } from './membership.js';
import type { SimulatorOptions } from './options.js';
import { Pace } from './pace.js';
import { MAX_APPEND_BYTES } from './proposed-events.js';
import {
  decode,
  encode,
  type ProposedEvent,
  type StoredEvent,
  TOMBSTONE_TYPE,
} from './stored-event.js';

const NOTHING = new Uint8Array();

/** The log with its rules. Writes that arrive together are decided in order and share one sync. */
export class Database {
  index = new EventIndex();
  readonly counter = new Counter();
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
  }

  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
  ): Promise<WriteOutcome> {
    const ids = events.map(({ id }) => id);
    return this.write(
      () =>
        checkAppend(this.index.stream(stream), expected, ids) ??
        written(this.stage(stream, events)),
    );
  }

  /** Ends the stream for good, even a stream that does not exist. */
  tombstone(stream: string): Promise<WriteOutcome> {
    return this.append(stream, 'any', [tombstone()]);
  }

  /** Ends the process if another member leads by now. Writes without an answer do not count. */
  requireLead(): void {
    endIfDeposed(this.path);
  }

  /** Resolves at the next commit. */
  async grown(signal: AbortSignal): Promise<void> {
    await once(this.commits, 'commit', { signal });
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
   * Synchronous, so that no read sees events that are not durable yet. A failing disk ends the
   * process, as on a real server.
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
  private stage(stream: string, events: readonly ProposedEvent[]): StoredEvent {
    const record = new RecordBuilder(this.end);
    let last: StoredEvent | undefined;
    for (const event of events) {
      last = encode(event, stream, this.index.stream(stream).events.length, record.position);
      record.add(last.bytes);
      this.index.add(last);
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

function tombstone(): ProposedEvent {
  const contentType = 'application/json';
  const [data, customMetadata] = [NOTHING, NOTHING];
  return { id: randomUUID(), type: TOMBSTONE_TYPE, contentType, data, customMetadata };
}
