import { InvalidArgumentError } from 'commander';
import { isTrackingString } from '../../kernel/tracking-string.js';
import { parseUtcTimestamp } from '../../kernel/utc-timestamp.js';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Parses a time, or a date, which means its midnight in UTC. Returns ISO 8601 UTC. */
export function time(text: string): string {
  const parsed = parseUtcTimestamp(DATE.test(text) ? `${text}T00:00:00Z` : text);
  if (parsed !== null) return parsed;
  throw new InvalidArgumentError(
    'takes a real date, YYYY-MM-DD, or date and time, YYYY-MM-DDTHH:MM:SSZ.',
  );
}

export function count(text: string): number {
  if (/^[0-9]+$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('takes a whole number of at least 1.');
}

/** Accepts an id that a request could contain: a tracking string (docs/api.md 2.2). */
export function trackingString(text: string): string {
  if (isTrackingString(text)) return text;
  throw new InvalidArgumentError('takes 1 to 512 characters without white space at the ends.');
}
