import { management } from './management.js';
import { usage } from './usage.js';

/** The ledgers of the service, by the names of their read sides. */
export const LEDGERS = { management, usage };

export type LedgerName = keyof typeof LEDGERS;
