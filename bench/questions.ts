import { randomBytes } from 'node:crypto';
import type { Load } from './load.js';
import { keyStringOf } from './verification-dataset.js';

/** Makes the text of the next request of a load. */
export type Questions = () => string;

/** Makes requests that verify keys in use, in random order: POST names the key in its body, GET in a header, like a gateway. */
export function verifications(load: Load, keysInUse: number): Questions {
  const keys = Array.from({ length: keysInUse }, (_, index) => keyStringOf(index));
  const oneOfThem = (): string => keys[Math.floor(Math.random() * keys.length)] ?? '';
  const head = headOf(load);
  const gateway = `${head}Keyledger-Authorization: Bearer ${load.key}\r\n`;
  return load.method === 'POST'
    ? () => posted(head, load, JSON.stringify({ key: oneOfThem() }))
    : () => `${gateway}Authorization: Bearer ${oneOfThem()}\r\n\r\n`;
}

/** Makes requests that register another end user each. */
export function registrations(load: Load): Questions {
  const head = headOf(load);
  const run = randomBytes(8).toString('hex');
  let count = 0;
  return () => posted(head, load, JSON.stringify({ user: `user-${run}-${count++}` }));
}

function headOf({ method, url }: Load): string {
  const { pathname, host } = new URL(url);
  return `${method} ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
}

function posted(head: string, { key }: Load, body: string): string {
  return `${head}Authorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
