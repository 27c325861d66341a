import type { FieldChange } from '../../../../src/features/audit-trail/domain/audit-event.js';

/** The expected description of the event of a golden file. */
export type ExpectedDescription = readonly [
  file: string,
  action: string,
  target: string,
  name: string | null | undefined,
  changes: FieldChange[],
];

/** The name of the target of an event without a name. */
export const UNNAMED = undefined;

/** Gives the change of a new field. */
export function now(field: string, after: unknown): FieldChange {
  return { field, before: null, after };
}
