import { isNativeError } from 'node:util/types';

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack: string;
}

/**
 * What a log line holds of an error: what went wrong, said once, and the stack of each error that had part in it. No
 * other property, as drivers keep in theirs what they were sent and what they were told to connect to.
 */
export function loggedError(error: unknown): LoggedError | string {
  if (!isNativeError(error)) return String(error);
  const all = [...errorsIn(error)];
  return {
    type: typeOf(error),
    message: all.map(({ message }) => message).reduce(together),
    ...('code' in error && { code: error.code }),
    stack: all.map((one) => typeOf(one) + framesOf(one)).join('\ncaused by: '),
  };
}

/** An error and, in their order, those that it keeps: its cause, and what libraries keep in properties of their own. */
function* errorsIn(error: Error, seen = new Set<Error>()): Iterable<Error> {
  seen.add(error);
  yield error;
  const properties = Object.values(Object.getOwnPropertyDescriptors(error));
  const held = properties.flatMap(({ value }): unknown => value);
  for (const one of held) if (isNativeError(one) && !seen.has(one)) yield* errorsIn(one, seen);
}

/** An error that wraps another often repeats its message. */
function together(said: string, message: string): string {
  if (said.includes(message)) return said;
  return said === '' ? message : `${said}: ${message}`;
}

function typeOf(error: Error): string {
  const { name } = error.constructor;
  // One that came from another thread keeps the name of its class itself.
  return name === 'Error' ? error.name : name;
}

/** A stack without its first lines, which are the message again. */
function framesOf({ stack = '' }: Error): string {
  const first = stack.search(/\n\s+at /);
  return first === -1 ? '' : stack.slice(first);
}
