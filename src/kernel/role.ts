/** The roles of management keys (docs/api.md 1.2). A key of an event without a role is `admin`. */
export const ROLES = ['gateway', 'auditor', 'admin'] as const;

export type Role = (typeof ROLES)[number];
