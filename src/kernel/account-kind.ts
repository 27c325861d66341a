export const ACCOUNT_KINDS = ['organization', 'individual'] as const;

export type AccountKind = (typeof ACCOUNT_KINDS)[number];
