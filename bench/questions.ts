import { randomBytes, randomUUID } from 'node:crypto';
import type { Load } from './load.js';
import { reportBodies, type Shape } from './usage-dataset.js';
import { keyStringOf } from './verification-dataset.js';

/** Makes the text of the next request of a load. */
export type Questions = () => string;

/**
 * Makes requests that verify keys in use, in random order: POST names the key in its body, GET in a
 * header, like a gateway. If there are users, each request names one of them in the same way.
 */
export function verifications(
  load: Load,
  keysInUse: number | readonly string[],
  users = 0,
): Questions {
  const keys =
    typeof keysInUse === 'number'
      ? Array.from({ length: keysInUse }, (_, index) => keyStringOf(index))
      : keysInUse;
  const oneOfThem = (): string => keys[Math.floor(Math.random() * keys.length)] ?? '';
  const head = headOf(load);
  const gateway = `${head}Keyledger-Authorization: Bearer ${load.key}\r\n`;
  const userOf = (): string => `user-${Math.floor(Math.random() * users)}`;
  const headerOf = (): string => (users > 0 ? `Keyledger-End-User: ${userOf()}\r\n` : '');
  return load.method === 'POST'
    ? () =>
        posted(
          head,
          load,
          JSON.stringify({ key: oneOfThem(), ...(users > 0 && { user: userOf() }) }),
        )
    : () => `${gateway}${headerOf()}Authorization: Bearer ${oneOfThem()}\r\n\r\n`;
}

/** Makes requests that register another end user each. */
export function registrations(load: Load): Questions {
  const head = headOf(load);
  const run = randomBytes(8).toString('hex');
  let count = 0;
  return () => posted(head, load, JSON.stringify({ user: `user-${run}-${count++}` }));
}

/** The body of a key like those of `buildUsableKeys`. */
export const NEW_KEY = JSON.stringify({
  name: 'key',
  limit: 25,
  limit_reset: 'monthly',
  expires_at: '2100-01-01T00:00:00.000Z',
});

/** Makes requests that create a key each. */
export function creations(load: Load): Questions {
  const request = posted(headOf(load), load, NEW_KEY);
  return () => request;
}

/**
 * The number of different reports that are sent, because making a report takes longer than sending
 * it.
 */
const BODIES = 200;

/** Makes requests that report usage, each under an id of its own. */
export function reports(load: Load, shape: Shape): Questions {
  const bodyOf = reportBodies(shape);
  const bodies = Array.from({ length: BODIES }, (_, index) => JSON.stringify(bodyOf(index)));
  let count = 0;
  return () => posted(headOf(load, `/${randomUUID()}`), load, bodies[count++ % BODIES] ?? '');
}

/** Makes requests that read the same. */
export function reads(load: Load): Questions {
  const request = `${headOf(load)}Authorization: Bearer ${load.key}\r\n\r\n`;
  return () => request;
}

function headOf({ method, url }: Load, below = ''): string {
  const { pathname, search, host } = new URL(url);
  return `${method} ${pathname}${below}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
}

function posted(head: string, { key }: Load, body: string): string {
  return `${head}Authorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
