const FORM = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?Z$/;

/**
 * Parses `YYYY-MM-DDTHH:MM:SSZ` with any number of fractional digits (docs/api.md 3.4).
 * @returns the time in ISO 8601 UTC, cut to milliseconds; null for a wrong form or no real time.
 */
export function parseUtcTimestamp(text: string): string | null {
  const [, seconds, fraction = ''] = FORM.exec(text) ?? [];
  if (seconds === undefined) return null;
  const canonical = `${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const time = Date.parse(canonical);
  // Date.parse rolls some impossible dates over (30 February, 24:00). Only a real one comes back.
  return !Number.isNaN(time) && new Date(time).toISOString() === canonical ? canonical : null;
}

/** Returns the earlier of two times in ISO 8601 UTC with milliseconds; null stands for never. */
export function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** Whether a time in ISO 8601 UTC has come by `now`; false for null, which stands for never. */
export function hasCome(time: string | null, now: Date): boolean {
  return time !== null && Date.parse(time) <= now.getTime();
}
