import { isNativeError } from 'node:util/types';

const MOST_CAUSES = 5;

/** An error on its way to another thread: a copy that the runtime makes loses its class and its code. */
export interface CarriedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly code?: string | number;
  readonly cause?: CarriedError;
}

/** @param depth how many causes go with it. */
export function carried(thrown: unknown, depth = MOST_CAUSES): CarriedError {
  // Those of SQLite's driver inherit from Error and are none to the runtime.
  if (!isNativeError(thrown) && !(thrown instanceof Error)) {
    return { name: 'Error', message: String(thrown), stack: '' };
  }
  const { message, stack = '' } = thrown;
  const cause = thrown.cause ?? heldBy(thrown);
  const { name: of } = thrown.constructor;
  return {
    // One that was restored, and goes on to the next thread, has its name and not its class.
    name: of === 'Error' ? thrown.name : of,
    message,
    stack,
    ...('code' in thrown && isCode(thrown.code) && { code: thrown.code }),
    ...(cause !== undefined && depth > 0 && { cause: carried(cause, depth - 1) }),
  };
}

function isCode(code: unknown): code is string | number {
  return typeof code === 'string' || typeof code === 'number';
}

/** The error that another one has under a name of a library's own. */
function heldBy(error: Error): unknown {
  const properties = Object.values(Object.getOwnPropertyDescriptors(error));
  return properties.map(({ value }): unknown => value).find((value) => isNativeError(value));
}

/** An error as it was carried, with the name of its class for one of its own. */
export function restored({ name, message, stack, code, cause }: CarriedError): Error {
  const error = new Error(message, cause && { cause: restored(cause) });
  return Object.assign(error, { name, stack }, code !== undefined && { code });
}
