import { Unavailable } from '../../kernel/errors.js';
import { isOfTheFiles } from '../../sqlite/guarded.js';
import { isConstraint, sqliteCode } from '../../sqlite/sqlite-code.js';
import { DamagedNamespaceError } from '../read-store.js';

const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB)/;

/**
 * Does something with the files of a namespace.
 * @throws DamagedNamespaceError when the files are broken; Unavailable when they cannot be read or written. Every other
 * error stays as it is, also one of a constraint, which is a fault of the code that wrote.
 */
export function guarded<Result>(namespace: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    // A document that is no JSON was damaged, too.
    const isDamaged = DAMAGED.test(sqliteCode(error) ?? '') || error instanceof SyntaxError;
    if (isDamaged) throw new DamagedNamespaceError(namespace, error);
    throw isOfTheFiles(error) && !isConstraint(error)
      ? new Unavailable('read store', error)
      : error;
  }
}
