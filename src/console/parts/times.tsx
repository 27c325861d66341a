/** The date and time of the reader's zone, in a form that sorts and that nobody misreads. */
const LOCAL = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' });

/** Returns the UTC day of a time, as the API names days. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** Returns the day that is so many days after another one, or before it. */
export function dayAfter(day: string, days: number): string {
  const time = new Date(`${day}T00:00:00Z`);
  time.setUTCDate(time.getUTCDate() + days);
  return dayOf(time);
}

/** Returns the first and the last of the latest 30 days, as the API takes them. */
export function last30Days(): { readonly from: string; readonly to: string } {
  const to = dayOf(new Date());
  return { from: dayAfter(to, -29), to };
}

/** Shows a time in the reader's zone, with UTC when the pointer is on it. */
export function Time({ at, none = '–' }: { at: string | null | undefined; none?: string }) {
  if (at === null || at === undefined) return <span class="none">{none}</span>;
  const utc = `${at.slice(0, 19).replace('T', ' ')} UTC`;
  return (
    <time dateTime={at} title={utc}>
      {LOCAL.format(new Date(at))}
    </time>
  );
}

/**
 * Returns the time of an input of type `datetime-local` for the API; null for an empty one. A year
 * such as 20266 stays as it is: the service says what is wrong with it.
 */
export function timeFromInput(text: string): string | null {
  if (text === '') return null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

/** Returns a time of the API for an input of type `datetime-local`; empty for what is no time. */
export function timeForInput(time: string | null): string {
  const isTime = time !== null && !Number.isNaN(Date.parse(time));
  return isTime ? LOCAL.format(new Date(time)).replace(' ', 'T') : '';
}
