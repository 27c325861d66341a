import type { EventMetadata } from '../../kernel/metadata.js';
import { type Position, START } from '../../kernel/position.js';
import type { RecordedEvent } from '../event-log.js';

/** The columns of a `Row`. */
export const COLUMNS = 'position, id, type, version, data, metadata, stream, revision';

/** An event as its table has it, read as a tuple, which costs the driver least. Positions are row ids. */
export type Row = [
  position: number,
  id: string,
  type: string,
  version: number,
  data: string,
  metadata: string,
  stream: string,
  revision: number,
];

/** Enough digits for every integer that a number holds exactly, so that text compares as numbers do. */
const DIGITS = 16;
/** Enough of an id to tell the event from that of another log at the same position. */
const MARK_CHARACTERS = 8;
/** The version digit of an id that begins with a time and ends at random. Ids of earlier versions are random throughout. */
const VERSION_AT = 14;
const TIMED = '7';

/** The position of an event: the number of its row, and a mark made of its id. */
export function positionOf(row: number, id: string): Position {
  return `${String(row).padStart(DIGITS, '0')}-${markOf(id)}`;
}

function markOf(id: string): string {
  return id[VERSION_AT] === TIMED ? id.slice(-MARK_CHARACTERS) : id.slice(0, MARK_CHARACTERS);
}

/** The row of a position; 0 for START. NaN for a position of another kind of log. */
export function rowOf(position: Position): number {
  return position === START ? 0 : Number(position.slice(0, DIGITS));
}

/** The event in a row. */
export function recorded(row: Row): RecordedEvent {
  const [place, id, type, version, data, metadata, stream, revision] = row;
  return {
    id,
    position: positionOf(place, id),
    stream,
    revision,
    type,
    version,
    data: json(data),
    metadata: json(metadata) as EventMetadata,
  };
}

/** The value in a column. Text that is no JSON stays text, so that the decoder can name the event. */
export function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
