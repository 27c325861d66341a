import { shared } from '../api/shared.js';
import { mayLeave } from './leaving.js';

/**
 * Where the console is: a path and filters, both behind the `#`, which no browser sends. A key
 * never becomes a part of it.
 */
export interface Place {
  readonly path: string;
  readonly filters: Filters;
}

export type Filters = Readonly<Record<string, string>>;

const hash = shared(location.hash);

/** Reads a place from the part of an address behind the `#`. */
function placeOf(text: string): Place {
  const [path = '', ...search] = text.replace(/^#/, '').split('?');
  const filters = Object.fromEntries(new URLSearchParams(search.join('?')));
  return { path: path.startsWith('/') ? path : `/${path}`, filters };
}

/** Makes the address of a place below the console. Filters without a value are left out. */
export function addressOf(
  path: string,
  filters: Readonly<Record<string, string | undefined>> = {},
) {
  const given = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value]],
  );
  const search = new URLSearchParams(given).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** The tracking ID is a filter: people choose it, so a path could not hold each of them. */
export const addressOfEndUser = (user: string): string => addressOf('/end-users', { user });

/** Goes to an address of `addressOf`, unless the page asks before it is left and is kept. */
export function go(address: string): void {
  if (`#${address}` === location.hash || !mayLeave()) return;
  history.pushState(null, '', `#${address}`);
  arrive();
}

/** Goes to an address in place of this one, which leaves the way back of the browser as it is. */
export function replacePlace(address: string): void {
  history.replaceState(null, '', `#${address}`);
  arrive();
}

function arrive(): void {
  hash.set(location.hash);
}

window.addEventListener('popstate', () => {
  if (location.hash === hash.get()) return;
  if (mayLeave()) arrive();
  else history.pushState(null, '', hash.get());
});

/** Returns where the console is, and draws the component again when that changes. */
export const usePlace = (): Place => placeOf(hash.use());
