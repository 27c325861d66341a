import { messageOf, Refusal } from '../kernel/errors.js';
import { ERROR_TABLE } from './error-table.js';

/** Says for an operator why something failed: a refusal by its message, with the limit that it names. */
export function inWords(error: unknown): string {
  if (!(error instanceof Refusal)) return messageOf(error);
  const { message } = ERROR_TABLE[error.code];
  const { quota, limit, limit_bytes: bytes } = error.details ?? {};
  if (typeof quota === 'string') return `${message}: ${quota}, ${Number(limit)} at most`;
  return typeof bytes === 'number' ? `${message}: ${bytes} bytes at most` : message;
}
