import type { EventDefinition } from '../kernel/event.js';
import type { DecisionRunner } from './decisions/decision-runner.js';
import type { EventLog } from './event-log/event-log.js';
import type { EventRegistry } from './event-log/event-registry.js';
import type { Maintenance } from './projections/maintenance/maintenance.js';
import type { ReadModels } from './projections/read-models.js';
import type { ReadSide } from './projections/read-side.js';

/** A log with its decisions and its read models. */
export interface Ledger {
  readonly log: EventLog;
  readonly registry: EventRegistry;
  readonly runner: DecisionRunner;
  readonly models: ReadModels;
  readonly maintenance: Maintenance;
}

/**
 * The tokens under which a ledger and its parts are injected. No class is such a token, because a
 * service has several ledgers, and a parameter without `@Inject` must not get a part of another.
 */
export type LedgerTokens = Readonly<Record<'ledger' | keyof Ledger, symbol>>;

/** The events that a log contains, and the read models that are made from them. */
export interface LedgerDefinition {
  readonly tokens: LedgerTokens;
  /** The name of a log beside the first one. */
  readonly log?: string;
  /** How many events the first start of a service writes into the log. */
  readonly firstEvents: number;
  readonly events: readonly EventDefinition[];
  readonly readSide: ReadSide;
}

function ledgerTokens(name: string): LedgerTokens {
  return {
    ledger: Symbol(`${name} ledger`),
    log: Symbol(`${name} log`),
    registry: Symbol(`${name} registry`),
    runner: Symbol(`${name} runner`),
    models: Symbol(`${name} models`),
    maintenance: Symbol(`${name} maintenance`),
  };
}

/** Accounts, keys and end users, with everything that an audit shows. */
export const MANAGEMENT = ledgerTokens('management');

/** The usage of keys: a log of its own, because reports must not delay reads of other things. */
export const USAGE = ledgerTokens('usage');

/** The token of all ledgers of a service, for the code that monitors and stops them. */
export const OPEN_LEDGERS = Symbol('OpenLedgers');
