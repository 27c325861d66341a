import type { EventMetadata } from '../../kernel/metadata.js';
import { type Position, START } from '../../kernel/position.js';
import type { RecordedEvent } from '../event-log.js';

/** An event as its table has it. Positions are row ids. */
export interface Row {
  position: number;
  stream: string;
  revision: number;
  id: string;
  type: string;
  version: number;
  data: string;
  metadata: string;
}

/** Enough digits for every integer that a number holds exactly, so that text compares as numbers do. */
const DIGITS = 16;

export function positionOf(row: number): Position {
  return row === 0 ? START : String(row).padStart(DIGITS, '0');
}

export function rowOf(position: Position): number {
  return position === START ? 0 : Number(position);
}

export function recorded(row: Row): RecordedEvent {
  return {
    id: row.id,
    stream: row.stream,
    revision: row.revision,
    position: positionOf(row.position),
    type: row.type,
    version: row.version,
    data: JSON.parse(row.data) as unknown,
    metadata: JSON.parse(row.metadata) as EventMetadata,
  };
}
