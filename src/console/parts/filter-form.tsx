import type { ComponentChildren, TargetedSubmitEvent } from 'preact';
import { useRights } from '../frame/who.js';
import { leadToCheck } from '../routing/handed-to-check.js';
import { addressOf, go, usePlace } from '../routing/place.js';

/** The filters of a list. They go into the address, and what is like a key string does not. */
export function FilterForm({
  wanted,
  children,
}: {
  /** Returns the filters, which have the names of the API. */
  wanted: () => Readonly<Record<string, string | undefined>>;
  children: ComponentChildren;
}) {
  const { path } = usePlace();
  const { mayChange } = useRights();
  const show = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const filters = wanted();
    const isKey = Object.values(filters).some((text = '') => leadToCheck(text, mayChange));
    if (!isKey) go(addressOf(path, filters));
  };
  return (
    <form class="filters" aria-label="Filters" onSubmit={show}>
      {children}
      <button type="submit" class="secondary">
        Filter
      </button>
    </form>
  );
}
