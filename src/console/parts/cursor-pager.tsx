import { addressOf, type Filters, go, usePlace } from '../routing/place.js';

/** Leads on in a list that has a cursor and no total. The address holds the cursor. */
export function CursorPager({
  cursor,
  next,
  what,
  filters,
}: {
  /** The cursor of the page that is shown; absent on the first one. */
  cursor: string | undefined;
  next: string | null;
  what: string;
  /** The filters of every page. */
  filters: Filters;
}) {
  const { path } = usePlace();
  const to = (page: string | undefined): void => go(addressOf(path, { ...filters, cursor: page }));
  const isFirst = cursor === undefined;
  if (isFirst && next === null) return null;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <button type="button" class="secondary" disabled={isFirst} onClick={() => to(undefined)}>
        First
      </button>
      <button
        type="button"
        class="secondary"
        disabled={next === null}
        onClick={() => to(next ?? undefined)}
      >
        Next
      </button>
    </nav>
  );
}
