import { expect } from '@jest/globals';
import { EVENT_LOG, type EventLog } from '../../src/event-log/event-log.js';
import { type Position, START } from '../../src/kernel/position.js';
import type { Answer } from './http-client.js';
import type { RunningApp } from './running-app.js';

/** Gives the head of a service's log. */
export function headOf({ app }: Pick<RunningApp, 'app'>): Promise<Position> {
  return app.get<EventLog>(EVENT_LOG).head();
}

/** Expects an answer to have a log position that is not before the head at the time of the request. */
export function expectNotBehind({ headers }: Pick<Answer, 'headers'>, headBefore: Position): void {
  const position = headers.get('x-log-position') ?? START;
  expect(headBefore).not.toBe(START);
  expect({ position, isBehind: position < headBefore }).toEqual({ position, isBehind: false });
}
