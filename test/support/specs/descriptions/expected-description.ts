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

/** The changes of the golden events that set a budget after another one, as far as it changed. */
export const BUDGET_CHANGED: FieldChange[] = [
  { field: 'limit', before: 50, after: 100.5 },
  now('limit_reset', 'monthly'),
];

/** The changes of the golden events that remove that budget. */
export const BUDGET_REMOVED: FieldChange[] = [
  { field: 'limit', before: 100.5, after: null },
  { field: 'limit_reset', before: 'monthly', after: null },
  { field: 'include_byok_in_limit', before: false, after: null },
];
