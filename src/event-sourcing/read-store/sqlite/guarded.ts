import { Unavailable } from '../../../kernel/errors.js';
import { isOfTheFiles } from '../../sqlite/guarded.js';
import { sqliteCode } from '../../sqlite/sqlite-code.js';
import { DamagedNamespaceError } from '../read-store.js';

/** The only constraint is that a collection has each key once. */
const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB|CONSTRAINT)/;

/**
 * Runs `work` on the files of a namespace.
 * @throws DamagedNamespaceError when the files are damaged, or a document was created twice; Unavailable when the files
 * cannot be read or written. Other errors stay as they are.
 */
export function guarded<Result>(namespace: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    // A document that is no JSON is damaged, too.
    const isDamaged = DAMAGED.test(sqliteCode(error) ?? '') || error instanceof SyntaxError;
    if (isDamaged) throw new DamagedNamespaceError(namespace, error);
    throw isOfTheFiles(error) ? new Unavailable('read store', error) : error;
  }
}
