import { isNativeError } from 'node:util/types';

/**
 * Returns the fields of an error for a log line: type, message, code and the stacks of the error
 * and its causes. Leaves out other properties, because drivers store sent data and connection
 * strings in them.
 */
export function loggedError(error: unknown): object | string {
  if (!isNativeError(error)) return String(error);
  const all = [error];
  for (const { cause } of all) if (isNativeError(cause) && !all.includes(cause)) all.push(cause);
  return {
    type: typeOf(error),
    message: all.map(({ message }) => message).reduce(joinedMessage),
    ...('code' in error && { code: error.code }),
    stack: all.map((one) => typeOf(one) + framesOf(one)).join('\ncaused by: '),
  };
}

/** Joins two messages. Errors often repeat their cause's message, which is then skipped. */
function joinedMessage(said: string, message: string): string {
  return said.includes(message) ? said : `${said}: ${message}`;
}

function typeOf({ name, constructor }: Error): string {
  // An error from another thread has its class name only in `name`.
  return constructor.name === 'Error' ? name : constructor.name;
}

/** Returns the stack of an error without its first lines, which repeat the message. */
function framesOf({ stack = '' }: Error): string {
  return /\n\s+at [^]*/.exec(stack)?.[0] ?? '';
}
