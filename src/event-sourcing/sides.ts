import type { FactoryProvider, InjectionToken } from '@nestjs/common';
import { DecisionRunner } from './decisions/decision-runner.js';
import { EVENT_LOG, type EventLog } from './event-log/event-log.js';
import { EventRegistry } from './event-log/event-registry.js';
import { Maintenance } from './projections/maintenance.js';
import { ReadModels } from './projections/read-models.js';

/** The names under which the parts of a log are injected. Each log of a service has its own. */
export interface Tokens {
  readonly log: InjectionToken;
  readonly registry: InjectionToken;
  readonly runner: InjectionToken;
  readonly models: InjectionToken;
  readonly maintenance: InjectionToken;
}

/** The names of the parts of the first log. */
export const FIRST: Tokens = {
  log: EVENT_LOG,
  registry: EventRegistry,
  runner: DecisionRunner,
  models: ReadModels,
  maintenance: Maintenance,
};

/** A log with what decides on it and what is folded from it, for those who look after all logs of a service. */
export interface Side {
  /** The name of the log in words for people. */
  readonly part: string;
  readonly log: EventLog;
  readonly runner: DecisionRunner;
  readonly models: ReadModels;
  readonly maintenance: Maintenance;
}

export const SIDES = Symbol('Sides');

/** Provides all sides of a service. @param tokens the names of the parts of each log, by the name of the log. */
export function sidesOf(tokens: Readonly<Record<string, Tokens>>): FactoryProvider<Side[]> {
  const parts = Object.entries(tokens);
  return {
    provide: SIDES,
    inject: parts.flatMap(([, { log, runner, models, maintenance }]) => [
      log,
      runner,
      models,
      maintenance,
    ]),
    useFactory: (...injected: unknown[]) =>
      parts.map(([part], index) => {
        const [log, runner, models, maintenance] = injected.slice(4 * index, 4 * index + 4) as [
          EventLog,
          DecisionRunner,
          ReadModels,
          Maintenance,
        ];
        return { part, log, runner, models, maintenance };
      }),
  };
}
