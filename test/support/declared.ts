import { LEDGERS } from '../../src/host/ledgers/ledgers.js';
import type { EventDefinition } from '../../src/kernel/event.js';

/** The events that the service writes, each in its current version. */
export const EVENTS = Object.values(LEDGERS).flatMap(({ events }) => events);

/** The projections that the service keeps. */
export const PROJECTIONS = Object.values(LEDGERS).flatMap(({ readSide }) => readSide.projections);

/** Returns every known version of an event, the oldest first. */
export function versionsOf(definition: EventDefinition): EventDefinition[] {
  const { previous } = definition;
  return previous ? [...versionsOf(previous.definition), definition] : [definition];
}
