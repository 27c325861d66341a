import fc from 'fast-check';
import { account, ref, type Ref, restrictions, user } from './model-references.js';

export type OperatorStep =
  | {
      readonly type: 'add-member' | 'remove-member';
      readonly account: number;
      readonly user: string;
    }
  | {
      readonly type: 'create-workspace';
      readonly account: number;
      readonly restrictions: readonly string[];
    }
  | {
      readonly type: 'restrict-workspace';
      readonly account: number;
      readonly workspace: Ref;
      readonly restrictions: readonly string[];
    }
  | {
      readonly type: 'add-workspace-member' | 'remove-workspace-member';
      readonly account: number;
      readonly workspace: Ref;
      readonly user: string;
    };

export const operatorStep: fc.Arbitrary<OperatorStep> = fc.oneof(
  fc.record({
    type: fc.constantFrom('add-member' as const, 'remove-member' as const),
    account,
    user,
  }),
  fc.record({ type: fc.constant('create-workspace' as const), account, restrictions }),
  fc.record({
    type: fc.constant('restrict-workspace' as const),
    account,
    workspace: ref,
    restrictions,
  }),
  fc.record({
    type: fc.constantFrom('add-workspace-member' as const, 'remove-workspace-member' as const),
    account,
    workspace: ref,
    user,
  }),
);
