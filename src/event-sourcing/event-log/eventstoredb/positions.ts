import { type Position as LogPosition, START as LOG_START } from '@eventstore/db-client';
import { type Position, START } from '../../../kernel/position.js';

/** Enough digits for every number in a position, so that positions compare as strings in the order of their numbers. */
const DIGITS = 19;
/** Enough characters of an id to tell the event from an event of another log at the same place. */
const ID_CHARACTERS = 8;
const FORM = /^(\d{19})-(\d{19})-[0-9a-f]{8}$/;

/** Returns the position of an event: its two numbers in the server's log, and the first characters of its id. */
export function positionOf({ commit, prepare }: LogPosition, id: string): Position {
  return `${digits(commit)}-${digits(prepare)}-${id.slice(0, ID_CHARACTERS)}`;
}

/** Returns a position in the form of the client. @throws for a position of another kind of log. */
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

function digits(value: bigint): string {
  return value.toString().padStart(DIGITS, '0');
}
