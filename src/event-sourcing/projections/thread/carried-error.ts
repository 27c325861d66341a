import { isNativeError } from 'node:util/types';

const MOST_CAUSES = 5;

/** An error for another thread. Node.js would copy it without its class and its code. */
export interface CarriedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly code?: string | number;
  /** The part of the service that is unavailable or denies access. */
  readonly part?: string;
  readonly cause?: CarriedError;
}

/** Makes an error's form for another thread. @param depth how many nested causes go with it. */
export function carriedError(thrown: unknown, depth = MOST_CAUSES): CarriedError {
  // The errors of the SQLite driver inherit from Error, but are no native errors.
  if (!isNativeError(thrown) && !(thrown instanceof Error)) {
    return { name: 'Error', message: String(thrown), stack: '' };
  }
  const { message, stack = '', cause } = thrown;
  const className = thrown.constructor.name;
  return {
    // An error that was restored and is carried again has the name of its class, not the class.
    name: className === 'Error' ? thrown.name : className,
    message,
    stack,
    ...('code' in thrown && isCode(thrown.code) && { code: thrown.code }),
    ...('part' in thrown && typeof thrown.part === 'string' && { part: thrown.part }),
    ...(cause !== undefined && depth > 0 && { cause: carriedError(cause, depth - 1) }),
  };
}

function isCode(code: unknown): code is string | number {
  return typeof code === 'string' || typeof code === 'number';
}

/** Makes an error from its carried form, with the original `name`, but of the class `Error`. */
export function errorFrom({ cause, ...fields }: CarriedError): Error {
  return Object.assign(new Error(fields.message, cause && { cause: errorFrom(cause) }), fields);
}
