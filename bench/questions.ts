import { randomBytes } from 'node:crypto';
import type { Load } from './load.js';
import { keyStringOf } from './verification-dataset.js';

/** What one request of a load sends. */
export interface Question {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Makes the requests of a load: a new end user each, or a key in use by chance. */
export function questionsOf({
  key,
  method,
  asksFor,
}: Pick<Load, 'key' | 'method' | 'asksFor'>): () => Question {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  if (!asksFor) return method === 'GET' ? () => ({ method, headers }) : registrations(headers);
  const keys = Array.from({ length: asksFor.keys }, (_, index) => keyStringOf(index));
  const oneOfThem = (): string => keys[Math.floor(Math.random() * keys.length)] ?? '';
  if (method === 'POST')
    return () => ({ method, headers, body: JSON.stringify({ key: oneOfThem() }) });
  const gateway = { 'Keyledger-Authorization': `Bearer ${key}` };
  return () => ({ method, headers: { ...gateway, Authorization: `Bearer ${oneOfThem()}` } });
}

function registrations(headers: Readonly<Record<string, string>>): () => Question {
  const run = randomBytes(8).toString('hex');
  let count = 0;
  return () => {
    const body = JSON.stringify({ user: `user-${run}-${count++}` });
    return { method: 'POST', headers, body };
  };
}
