import fc from 'fast-check';
import { account, user, type ValueOf } from './model-references.js';

export type OperatorStep = ValueOf<typeof operatorStep>;

/** The changes that no route makes. */
export const operatorStep = fc.record({
  type: fc.constantFrom('add-member' as const, 'remove-member' as const),
  account,
  user,
});
