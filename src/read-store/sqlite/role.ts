/** What a thread does with read models: keeps them up to date, or reads what others fold. */
export type Role = 'folds' | 'reads';
