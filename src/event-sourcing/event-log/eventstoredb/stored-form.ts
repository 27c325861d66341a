import {
  type Filter,
  type JSONEventData,
  type JSONType,
  type Position as ServerPosition,
  START as SERVER_START,
  streamNameFilter,
} from '@eventstore/db-client';
import { changeTooLarge } from '../../../kernel/errors.js';
import type { EventMetadata } from '../../../kernel/metadata.js';
import { type Position, START } from '../../../kernel/position.js';
import type { RecordedEvent, StoredEvent } from '../event-log.js';

/** The most bytes in an append: a server's default. One with a lower limit refuses it itself. */
const MAX_APPEND_BYTES = 1024 * 1024;
/** The allowed stream names. Others make errors unreadable, or mean something to the server. */
const STREAM_NAME = /^[\x21-\x7e]{1,256}$/;

/** The version of an event that was stored without a version. Real versions begin with 1. */
const NO_VERSION = 0;

/** Digits for every number in a position, so that as strings they keep the numbers' order. */
const DIGITS = 19;
/** Enough characters of an id to tell the event from an event of another log at the same place. */
const ID_CHARACTERS = 8;
const POSITION = /^(\d{19})-(\d{19})-[0-9a-f]{8}$/;

/** How many events of others are skipped at once: 1.5 million a second, three times the default. */
const SEARCH_WINDOW = 1_000;

/** The stored metadata, with the event's version, for which the server has no other place. */
type StoredMetadata = EventMetadata & { readonly version: number };

/** An event as the client returns it, ours or not. */
export interface ReceivedEvent {
  readonly id: string;
  readonly streamId: string;
  readonly revision: bigint;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
  readonly position?: ServerPosition;
}

/** The streams of one installation. A prefix of their names tells them from other services'. */
export class OwnStreams {
  /** The prefix of our streams, without a dash, so that the server still groups by category. */
  readonly prefix: string;

  /** @param name of the installation. The prefix adds a full stop, so that none begins another. */
  constructor(name: string) {
    this.prefix = `${name}.`;
  }

  /** Lets the server pass over the events of others in a subscription. */
  filter(): Filter {
    return streamNameFilter({ prefixes: [this.prefix], maxSearchWindow: SEARCH_WINDOW });
  }

  /** Returns a stream's name on the server. @throws for a name that it could misunderstand. */
  onServer(stream: string): string {
    if (!STREAM_NAME.test(stream)) throw new Error('a stream name takes printable ASCII only');
    return this.prefix + stream;
  }

  /** Whether an event belongs to this installation, and not to the server or another service. */
  isOurs({ streamId, type }: ReceivedEvent): boolean {
    return streamId.startsWith(this.prefix) && !type.startsWith('$');
  }

  /**
   * Returns one of our events as the port has it. The registry refuses and names one without
   * version, which another service wrote. An error here would lose earlier events as well.
   */
  recordedEvent(event: ReceivedEvent): RecordedEvent {
    const { id, streamId, revision, type, data } = event;
    const { version: stored, ...metadata } = (event.metadata ?? {}) as StoredMetadata;
    return {
      id,
      stream: streamId.slice(this.prefix.length),
      revision: Number(revision),
      position: positionIn(event),
      type,
      version: typeof stored === 'number' ? stored : NO_VERSION,
      data,
      metadata,
    };
  }
}

/**
 * Returns events in the form in which they are sent.
 * @throws when the client would fail, which may end the process; a Refusal for too many bytes.
 */
export function encodeAppend(events: readonly StoredEvent[]): JSONEventData[] {
  if (events.length === 0) throw new Error('an append needs at least one event');
  let bytes = 0;
  const all = events.map(({ id, type, version, data, metadata }) => {
    const stored: StoredMetadata = { version, ...metadata };
    const about = Buffer.from(JSON.stringify(stored));
    bytes += Buffer.byteLength(JSON.stringify(data)) + about.length + 2 * type.length;
    return {
      id,
      type,
      contentType: 'application/json' as const,
      data: data as JSONType,
      metadata: new Uint8Array(about),
    };
  });
  if (bytes > MAX_APPEND_BYTES) throw changeTooLarge(MAX_APPEND_BYTES);
  return all;
}

export function positionIn({ id, position }: ReceivedEvent): Position {
  if (!position) throw new Error('the server is too old: it gives no positions');
  return positionOf(position, id);
}

/** Returns an event's position: its two numbers in the server's log, and the start of its id. */
export function positionOf({ commit, prepare }: ServerPosition, id: string): Position {
  return `${digits(commit)}-${digits(prepare)}-${id.slice(0, ID_CHARACTERS)}`;
}

/** Returns a position in the form of the client. @throws for a position of another kind of log. */
export function placeInLog(position: Position): ServerPosition | typeof SERVER_START {
  if (position === START) return SERVER_START;
  const [, commit, prepare] = POSITION.exec(position) ?? [];
  if (commit === undefined || prepare === undefined) {
    throw new Error(`${position} is not a position of this event log`);
  }
  return { commit: BigInt(commit), prepare: BigInt(prepare) };
}

function digits(value: bigint): string {
  return value.toString().padStart(DIGITS, '0');
}
