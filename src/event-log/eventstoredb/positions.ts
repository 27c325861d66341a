import { type Position as LogPosition, START as LOG_START } from '@eventstore/db-client';
import { type Position, START } from '../../kernel/position.js';

/** Enough digits for every position there can be, so that text compares as numbers do. */
const DIGITS = 19;
/** Enough of an id to tell the event from that of another log at the same position. */
const ID_CHARACTERS = 8;
const FORM = /^(\d{19})-(\d{19})-[0-9a-f]{8}$/;

/** The position of an event: its two numbers in the server's log, and a mark of the event. */
export function positionOf({ commit, prepare }: LogPosition, id: string): Position {
  return `${digits(commit)}-${digits(prepare)}-${id.slice(0, ID_CHARACTERS)}`;
}

/** A position in the server's terms. @throws for one that another kind of log gave. */
export function placeInLog(position: Position): LogPosition | typeof LOG_START {
  if (position === START) return LOG_START;
  const [, commit, prepare] = FORM.exec(position) ?? [];
  if (commit === undefined || prepare === undefined) {
    throw new Error(`${position} is not a position of this event log`);
  }
  return { commit: BigInt(commit), prepare: BigInt(prepare) };
}

export function isPosition(text: string): boolean {
  return FORM.test(text);
}

/** Bytes of the server's log up to a position. */
export function bytesUpTo(position: Position): number {
  const place = placeInLog(position);
  return place === LOG_START ? 0 : Number(place.commit);
}

function digits(value: bigint): string {
  return value.toString().padStart(DIGITS, '0');
}
