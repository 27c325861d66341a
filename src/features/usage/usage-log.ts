/** The log of usage, which is apart from that of management, so that reports never move the head that reads wait for. */
export const USAGE_LOG = Symbol('UsageLog');
/** The runner of decisions in the log of usage. */
export const USAGE_RUNNER = Symbol('UsageRunner');
/** The read models that are folded from the log of usage. */
export const USAGE_MODELS = Symbol('UsageModels');
