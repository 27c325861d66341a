/** What a thread does with read models: keeps them up to date, or reads what another one folds. */
export type Role = 'folds' | 'reads';
