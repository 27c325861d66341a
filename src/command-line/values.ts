import { InvalidArgumentError } from 'commander';
import { isTrackingString } from '../kernel/tracking-string.js';
import { parseUtcTimestamp } from '../kernel/utc-timestamp.js';

/** The word for null. Parsers of options return the word itself, because commander treats null as an absent value. */
const NONE = 'none';

export type OrNone<Value> = Value | typeof NONE;

/** Converts `none` to null, and returns any other value unchanged. */
export function orNull<Value>(value: OrNone<Value>): Value | null {
  return value === NONE ? null : value;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const AMOUNT = /^\d+(?:\.\d+)?$/;
const SPAN = /^(\d{1,6})([mhdw])$/;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const UNIT_MS: Readonly<Record<string, number>> = {
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

/** Parses a time, or a date, which means its midnight in UTC. Returns ISO 8601 UTC. */
export function time(text: string): string {
  const parsed = parseUtcTimestamp(DATE.test(text) ? `${text}T00:00:00Z` : text);
  if (parsed !== null) return parsed;
  throw new InvalidArgumentError(
    'takes a real date, YYYY-MM-DD, or date and time, YYYY-MM-DDTHH:MM:SSZ.',
  );
}

/** Parses a span of time such as `7d`. Returns milliseconds. */
export function span(text: string): number {
  const [, count, unit = ''] = SPAN.exec(text) ?? [];
  const spanMs = Number(count) * (UNIT_MS[unit] ?? 0);
  if (spanMs > 0) return spanMs;
  throw new InvalidArgumentError('takes a span such as 30m, 12h, 7d or 2w.');
}

/** Parses a whole number of at least 1. */
export function count(text: string): number {
  if (/^[0-9]+$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('takes a whole number of at least 1.');
}

/** Parses an amount of USD, or `none`. */
export function amountOrNone(text: string): OrNone<number> {
  if (text === NONE) return NONE;
  if (AMOUNT.test(text) && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError(`takes an amount in USD such as 25 or 0.5, or ${NONE}.`);
}

/** Returns a parser that accepts one of several words, or `none`. */
export function choiceOrNone<Word extends string>(
  words: readonly Word[],
): (text: string) => OrNone<Word> {
  return (text) => {
    if (text === NONE) return NONE;
    const word = words.find((known) => known === text);
    if (word !== undefined) return word;
    throw new InvalidArgumentError(`takes ${words.join(', ')} or ${NONE}.`);
  };
}

/** Parses `true` or `false`. */
export function flag(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('takes true or false.');
}

/** Accepts an id that a request could contain: a tracking string (docs/api.md 2.2). */
export function trackingString(text: string): string {
  if (isTrackingString(text)) return text;
  throw new InvalidArgumentError('takes 1 to 512 characters without white space at the ends.');
}
