import type { Tokens } from '../../event-sourcing/side.js';

/** The log of usage is apart from that of management, so that reports never move the head that reads wait for. */
export const USAGE = {
  side: Symbol('Usage'),
  log: Symbol('UsageLog'),
  registry: Symbol('UsageRegistry'),
  runner: Symbol('UsageRunner'),
  models: Symbol('UsageModels'),
  maintenance: Symbol('UsageMaintenance'),
} satisfies Tokens;
