/**
 * What a thread does with read models: keeps them up to date; does so beside one that does, and waits for it; or reads
 * what others fold.
 */
export type Role = 'folds' | 'helps' | 'reads';
