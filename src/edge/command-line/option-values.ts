import { InvalidArgumentError, Option } from 'commander';
import { isText, parseWhole, TEXT_MAX_LENGTH } from '../../kernel/text.js';
import { isTrackingString } from '../../kernel/tracking-string.js';
import { parseUtcTimestamp } from '../../kernel/utc-timestamp.js';

/** Creates a mandatory option that accepts text of 1 to `max` characters. */
export function required(flags: string, description: string, max = TEXT_MAX_LENGTH): Option {
  return optional(flags, `${description} (required)`, max).makeOptionMandatory();
}

/** Creates a mandatory option that accepts a new id, which is a tracking string. */
export function requiredNewId(flags: string, description: string): Option {
  return new Option(flags, `${description} (required)`)
    .makeOptionMandatory()
    .argParser(parseTrackingString);
}

export function optional(flags: string, description: string, max = TEXT_MAX_LENGTH): Option {
  return new Option(flags, description).argParser((value) => parseText(value, max));
}

/** Creates an option that may be given up to `most` times, with 1 to `max` characters each. */
export function repeatable(
  flags: string,
  description: string,
  { most, max }: { readonly most: number; readonly max: number },
): Option {
  return new Option(flags, description).argParser((value: string, before?: string[]) => {
    const all = [...(before ?? []), parseText(value, max)];
    if (all.length > most) throw new InvalidArgumentError(`it may be given at most ${most} times.`);
    return all;
  });
}

function parseText(value: string, max: number): string {
  if (isText(value, { max, visible: true })) return value;
  throw new InvalidArgumentError(`takes text of 1 to ${max} characters.`);
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Parses a time, or a date, which means its midnight in UTC. Returns ISO 8601 UTC. */
export function parseTime(text: string): string {
  const parsed = parseUtcTimestamp(DATE.test(text) ? `${text}T00:00:00Z` : text);
  if (parsed !== null) return parsed;
  throw new InvalidArgumentError(
    'takes a real date, YYYY-MM-DD, or date and time, YYYY-MM-DDTHH:MM:SSZ.',
  );
}

export function parseCount(text: string): number {
  const parsed = parseWhole(text, 1);
  if (parsed !== undefined) return parsed;
  throw new InvalidArgumentError('takes a whole number of at least 1.');
}

/** Accepts an id that a request could contain: a tracking string (docs/api.md 2.2). */
function parseTrackingString(text: string): string {
  if (isTrackingString(text)) return text;
  throw new InvalidArgumentError('takes 1 to 512 characters without white space at the ends.');
}
