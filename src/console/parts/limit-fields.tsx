import type { components } from '../api/openapi.js';
import type { Bound } from './fields.js';
import { CheckField, SelectField, TextField } from './form.js';

type LimitReset = components['schemas']['LimitReset'];

const RESETS = [
  ['', 'Never'],
  ['daily', 'Daily'],
  ['weekly', 'Weekly'],
  ['monthly', 'Monthly'],
] as const;

/** The fields of the limit of a key, or of a budget. */
export function LimitFields({
  limit,
  reset,
  byok,
  hint,
}: {
  limit: Bound<string>;
  reset: Bound<string>;
  byok: Bound<boolean>;
  hint?: string;
}) {
  return (
    <>
      <div class="side-by-side">
        <TextField label="Limit, USD" inputMode="decimal" hint={hint} {...limit} />
        <SelectField label="Limit resets" options={RESETS} {...reset} />
      </div>
      <CheckField label="BYOK usage counts toward the limit" {...byok} />
    </>
  );
}

/** Returns the reset that was chosen; null for never. */
export function resetOf(chosen: string): LimitReset | null {
  return (chosen || null) as LimitReset | null;
}
