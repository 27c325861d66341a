import { guarded as guardedFiles } from '../../sqlite/guarded.js';

/** Does something with a read model. @throws Unavailable when its files fail; what else is thrown as it is. */
export function guarded<Result>(work: () => Result): Result {
  return guardedFiles('read store', work);
}
