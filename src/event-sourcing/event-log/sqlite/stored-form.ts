import type { EventMetadata } from '../../../kernel/metadata.js';
import { type Position, START } from '../../../kernel/position.js';
import type { RecordedEvent } from '../event-log.js';

export const COLUMNS = 'position, id, type, version, data, metadata, stream, revision';

/** A row of events as a tuple, which costs the driver least. Column `position` is the row id. */
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

/** The digits of a row id in a position. All safe integers fit, so positions sort like row ids. */
const DIGITS = 16;
/** The length of a position's mark, the random end of the event id, which tells logs apart. */
const MARK_CHARACTERS = 8;

/** Returns the position of an event: its row id, and a mark made of its event id. */
export function positionOf(row: number, id: string): Position {
  return `${String(row).padStart(DIGITS, '0')}-${id.slice(-MARK_CHARACTERS)}`;
}

/** Returns the row id in a position: 0 for START, no meaning for a position of a log server. */
export function rowIdIn(position: Position): number {
  return position === START ? 0 : Number(position.slice(0, DIGITS));
}

/** Characters from which data are parsed only for those who need them. A getter has a cost too. */
const LARGE = 2_000;

export function recordedEvent(row: Row): RecordedEvent {
  const [place, id, type, version, data, metadata, stream, revision] = row;
  const event = {
    id,
    position: positionOf(place, id),
    stream,
    revision,
    type,
    version,
    data: data.length < LARGE ? jsonOrText(data) : undefined,
    metadata: jsonOrText(metadata) as EventMetadata,
  };
  if (data.length < LARGE) return event;
  return Object.defineProperty(event, 'data', { get: () => jsonOrText(data), enumerable: true });
}

/** Parses a column's JSON. Other text stays unchanged, so that the decoder can name the event. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
