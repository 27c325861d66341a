export const DAY_MS = 86_400_000;

const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** Returns the day with which a time in ISO 8601 UTC begins, `YYYY-MM-DD`. Days sort as texts. */
export function dayOf(time: string): string {
  return time.slice(0, DAY_LENGTH);
}

export function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`);
}
