import { Unavailable } from '../../kernel/errors.js';
import { isOfTheFiles } from '../../sqlite/guarded.js';
import { isConstraint } from '../../sqlite/sqlite-code.js';

/**
 * Does something with a read model. @throws Unavailable when its files fail; what else is thrown as it is, and so is what a
 * constraint refused, as that is a fault of who wrote it.
 */
export function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw isOfTheFiles(error) && !isConstraint(error)
      ? new Unavailable('read store', error)
      : error;
  }
}
