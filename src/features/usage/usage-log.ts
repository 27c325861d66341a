import type { Tokens } from '../../event-sourcing/side.js';

/** The log of usage, which is apart from that of management, so that reports never move the head that reads wait for. */
export const USAGE_LOG = Symbol('UsageLog');
export const USAGE_RUNNER = Symbol('UsageRunner');
export const USAGE_REGISTRY = Symbol('UsageRegistry');
export const USAGE_MODELS = Symbol('UsageModels');

export const USAGE: Tokens = {
  side: Symbol('Usage'),
  log: USAGE_LOG,
  registry: USAGE_REGISTRY,
  runner: USAGE_RUNNER,
  models: USAGE_MODELS,
  maintenance: Symbol('UsageMaintenance'),
};
