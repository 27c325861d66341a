import { messageOf, Refusal } from '../../kernel/errors.js';
import { REFUSALS } from '../../kernel/refusals.js';

/** Returns the message of an error for an operator, with the limit if the error has one. */
export function errorInWords(error: unknown): string {
  if (!(error instanceof Refusal)) return messageOf(error);
  const message = REFUSALS[error.code];
  const { quota, limit, limit_bytes: bytes } = error.details ?? {};
  if (typeof quota === 'string') return `${message}: ${quota}, ${Number(limit)} at most`;
  return typeof bytes === 'number' ? `${message}: ${bytes} bytes at most` : message;
}
