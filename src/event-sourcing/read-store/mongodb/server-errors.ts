import { MongoMissingDependencyError, MongoServerError } from 'mongodb';

const DUPLICATE_KEY = 11_000;
const NAMESPACE_NOT_FOUND = 26;

/** Whether a document was refused because a document with the same `_id` exists. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** Whether a collection was not dropped because it does not exist. */
export function isNoCollection(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND;
}

/** The codes of refusals by MongoDB: not authorized, authentication failed; and of Atlas. */
const DENIALS: readonly unknown[] = [13, 18, 8000];

/** Whether only an operator can help: another user or password, or a module that an option of the URI needs. */
export function isDenial(error: unknown): boolean {
  if (error instanceof MongoMissingDependencyError) return true;
  return error instanceof MongoServerError && DENIALS.includes(error.code);
}
