/** How often a limit resets (docs/api.md 3.5). */
export const LIMIT_RESETS = ['daily', 'weekly', 'monthly'] as const;

export type LimitReset = (typeof LIMIT_RESETS)[number];
