import { isNativeError } from 'node:util/types';

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack: string;
}

/**
 * Returns the fields of an error for a log line: type, message, code and the stacks of the error and its causes. Leaves
 * out other properties, because drivers store sent data and connection strings in them.
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

/** Yields an error and the errors in its properties: its cause, and errors that libraries store under other names. */
function* errorsIn(error: Error, seen = new Set<Error>()): Iterable<Error> {
  seen.add(error);
  yield error;
  const properties = Object.values(Object.getOwnPropertyDescriptors(error));
  const held = properties.flatMap(({ value }): unknown => value);
  for (const one of held) if (isNativeError(one) && !seen.has(one)) yield* errorsIn(one, seen);
}

/** Joins two messages. Skips the second if the first contains it, because errors often repeat their cause's message. */
function together(said: string, message: string): string {
  if (said.includes(message)) return said;
  return said === '' ? message : `${said}: ${message}`;
}

function typeOf(error: Error): string {
  const { name } = error.constructor;
  // An error from another thread has its class name only in `name`.
  return name === 'Error' ? error.name : name;
}

/** Returns the stack of an error without its first lines, which repeat the message. */
function framesOf({ stack = '' }: Error): string {
  const first = stack.search(/\n\s+at /);
  return first === -1 ? '' : stack.slice(first);
}
