import { TEXT_MAX_LENGTH } from '../kernel/text.js';
import { TRACKING_STRING_MAX_LENGTH } from '../kernel/tracking-string.js';

/**
 * What rules of fields (field-rules.ts) demand, as the OpenAPI document says it: as far as a schema can, in patterns that
 * every language takes.
 */
export const TEXT = { minLength: 1, maxLength: TEXT_MAX_LENGTH, pattern: '^[^\\x00]*$' };

/** A text that is not of white space alone. */
export const VISIBLE_TEXT = { ...TEXT, pattern: '^[^\\x00]*[^\\s\\x00\\x85][^\\x00]*$' };

export const TRACKING_STRING = {
  minLength: 1,
  maxLength: TRACKING_STRING_MAX_LENGTH,
  pattern: '^[^\\s\\x00\\x85]([^\\x00]*[^\\s\\x00\\x85])?$',
};

/** Narrower than its format, which takes other zones than UTC. */
export const UTC_TIMESTAMP = {
  type: String,
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$',
};
