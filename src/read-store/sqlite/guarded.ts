import { Unavailable } from '../../kernel/errors.js';

/** Does something with a database. @throws Unavailable when that fails. */
export function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new Unavailable('read store', error);
  }
}
