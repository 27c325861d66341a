import fc from 'fast-check';
import { type EndUserStep, endUserStep } from './model-end-user-steps.js';
import { type KeyStep, keyStep } from './model-key-steps.js';
import { type OperatorStep, operatorStep } from './model-operator-steps.js';
import { type WorkspaceStep, workspaceStep } from './model-workspace-steps.js';

export type Step = KeyStep | EndUserStep | WorkspaceStep | OperatorStep;

/** The steps of one type. */
export type StepOf<Type extends Step['type']> = Extract<Step, { type: Type }>;

/** A step of any kind, with some invalid values and some objects of other accounts. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: keyStep },
  { weight: 6, arbitrary: endUserStep },
  { weight: 7, arbitrary: workspaceStep },
  { weight: 2, arbitrary: operatorStep },
);

/** Gives the first account two workspaces: a restricted one and one with members. */
export const firstSteps: readonly Step[] = [
  opened('eu-only'),
  opened(),
  { type: 'add-member', account: 0, user: 'ada' },
  {
    type: 'add-members',
    caller: 0,
    workspace: { among: 'own', number: 2 },
    by: 'id',
    users: ['ada', 'owner'],
  },
];

function opened(...restrictions: string[]): Step {
  const fields = { name: 'Team', restrictions } as const;
  return { type: 'open-workspace', caller: 0, fields, bad: undefined };
}
