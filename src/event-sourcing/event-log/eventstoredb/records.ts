import type { JSONEventData, JSONType, Position as LogPosition } from '@eventstore/db-client';
import { changeTooLarge } from '../../../kernel/errors.js';
import type { EventMetadata } from '../../../kernel/metadata.js';
import type { StoredEvent, RecordedEvent } from '../event-log.js';
import { positionOf } from './positions.js';

/** The most bytes in one append: a server's default limit. A server with a lower limit refuses the append itself. */
const MAX_APPEND_BYTES = 1024 * 1024;
const LOWER_CASE_UUID = /^(?!0{8}-0{4})[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const EVENT_TYPE = /^[A-Za-z][\x21-\x7e]{0,255}$/;

/** The version of an event that was stored without a version. Real versions begin with 1. */
const NO_VERSION = 0;

/** The metadata as stored, with the event's version, because the server has no other place for the version. */
type StoredMetadata = EventMetadata & { readonly version: number };

/** An event as the client returns it, ours or not. */
export interface ReceivedEvent {
  readonly id: string;
  readonly streamId: string;
  readonly revision: bigint;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
  readonly position?: LogPosition;
}

/** The client's answer for one place in the log. Only a gap or a link has no event, and no call asks for links. */
export interface Resolved {
  readonly event?: ReceivedEvent;
}

/**
 * Returns events in the form in which they are sent. Refuses input that the client or the server would fail on, because
 * some such input ends the process. @throws an error that names the mistake.
 */
export function proposed(events: readonly StoredEvent[]): JSONEventData[] {
  if (events.length === 0) throw new Error('an append needs at least one event');
  let bytes = 0;
  const all = events.map((event) => {
    const { id, type, version, data, metadata } = event;
    if (!LOWER_CASE_UUID.test(id)) throw new Error(`event id ${id} is not a lower-case UUID`);
    if (!EVENT_TYPE.test(type)) throw new Error(`event type ${type} is not a word`);
    const stored: StoredMetadata = { version, ...metadata };
    const about = Buffer.from(JSON.stringify(stored));
    bytes += jsonBytes(event) + about.length + 2 * type.length;
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

/**
 * Returns one of our events in the form of the event log's port. An event that another service wrote into our stream
 * has no version. The registry refuses such an event, and names it. An error here would lose earlier events as well.
 * @param stream the name of the stream without the prefix.
 */
export function recorded(event: ReceivedEvent, stream: string): RecordedEvent {
  const { id, revision, type, data } = event;
  const { version: stored, ...metadata } = (event.metadata ?? {}) as StoredMetadata;
  const version = typeof stored === 'number' ? stored : NO_VERSION;
  const position = positionIn(event);
  return { id, stream, revision: Number(revision), position, type, version, data, metadata };
}

/** Returns the position of an event that was read. */
export function positionIn({ id, position }: ReceivedEvent): string {
  if (!position) throw new Error('the server is too old: it gives no positions');
  return positionOf(position, id);
}

function jsonBytes({ id, data }: StoredEvent): number {
  // JSON.stringify returns undefined for undefined and the like, which its types do not say.
  const text = JSON.stringify(data) as string | undefined;
  if (text === undefined) throw new Error(`event ${id} has data that is no JSON`);
  return Buffer.byteLength(text);
}
