import type { FieldChange } from '../../../src/audit-trail/domain/description.js';

/** How the audit trail tells the event of a golden file. */
export type ExpectedDescription = readonly [
  file: string,
  action: string,
  target: string,
  name: string | null | undefined,
  changes: FieldChange[],
];

/** The name of the target where the event does not say it. */
export const UNNAMED = undefined;

/** A change of what was not there before. */
export function now(field: string, after: unknown): FieldChange {
  return { field, before: null, after };
}
