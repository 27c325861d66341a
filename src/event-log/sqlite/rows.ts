import type { EventMetadata } from '../../kernel/metadata.js';
import { type Position, START } from '../../kernel/position.js';
import type { RecordedEvent, StreamEvent } from '../event-log.js';

/** The columns of a `Row`, which is read as a tuple: the cheapest form there is, and logs are long. */
export const COLUMNS = 'position, id, type, version, data, metadata';
export const STREAM_COLUMNS = `${COLUMNS}, stream, revision`;

/** An event as its table has it. Positions are row ids. */
export type Row = [
  position: number,
  id: string,
  type: string,
  version: number,
  data: string,
  metadata: string,
];
export type StreamRow = [...Row, stream: string, revision: number];

/** Enough digits for every integer that a number holds exactly, so that text compares as numbers do. */
const DIGITS = 16;
/** Enough of an event's id to tell it from the one that another copy of the log has in its place. */
const MARK_CHARACTERS = 8;
/** The place and the digit of the version of an id that begins with a time and ends at random; earlier ones are random throughout. */
const VERSION_AT = 14;
const TIMED = '7';

/** The position of the event with an id in a row: the row's number, and a mark of the event. */
export function positionOf(row: number, id: string): Position {
  return `${String(row).padStart(DIGITS, '0')}-${markOf(id)}`;
}

function markOf(id: string): string {
  return id[VERSION_AT] === TIMED ? id.slice(-MARK_CHARACTERS) : id.slice(0, MARK_CHARACTERS);
}

export function rowOf(position: Position): number {
  return position === START ? 0 : Number(position.slice(0, DIGITS));
}

/** The characters of their JSON. */
export function sizeOf(rows: readonly (Row | StreamRow)[]): number {
  return rows.reduce((sum, [, , , , data, metadata]) => sum + data.length + metadata.length, 0);
}

export function recorded(row: Row): RecordedEvent {
  const [position, id, type, version, data, metadata] = row;
  return {
    id,
    position: positionOf(position, id),
    type,
    version,
    data: json(data),
    metadata: json(metadata) as EventMetadata,
  };
}

export function streamEvent(row: StreamRow): StreamEvent {
  const [position, id, type, version, data, metadata, stream, revision] = row;
  return { stream, revision, ...recorded([position, id, type, version, data, metadata]) };
}

/** What a column says; the text itself when it is no JSON, so that whoever decodes the event can name it. */
export function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
