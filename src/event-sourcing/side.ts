import type { InjectionToken } from '@nestjs/common';
import { DecisionRunner } from './decisions/decision-runner.js';
import { EVENT_LOG, type EventLog } from './event-log/event-log.js';
import { EventRegistry } from './event-log/event-registry.js';
import { Maintenance } from './projections/maintenance.js';
import { ReadModels } from './projections/read-models.js';

/** A log with what decides on it and what is folded from it. */
export interface Side {
  readonly log: EventLog;
  readonly registry: EventRegistry;
  readonly runner: DecisionRunner;
  readonly models: ReadModels;
  readonly maintenance: Maintenance;
}

/** The names under which a side and its parts are injected. */
export type Tokens = Readonly<Record<'side' | keyof Side, InjectionToken>>;

/** The names of the first side of a service. */
export const FIRST: Tokens = {
  side: Symbol('FirstSide'),
  log: EVENT_LOG,
  registry: EventRegistry,
  runner: DecisionRunner,
  models: ReadModels,
  maintenance: Maintenance,
};

/** All sides of a service, for those who look after them. */
export const SIDES = Symbol('Sides');
