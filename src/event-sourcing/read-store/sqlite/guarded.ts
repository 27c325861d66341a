import { Unavailable } from '../../../kernel/errors.js';
import { isOfTheFiles } from '../../sqlite/guarded.js';
import { isConstraint, sqliteCode } from '../../sqlite/sqlite-code.js';
import { DamagedNamespaceError, RepeatedDocumentError } from '../read-store.js';

const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB)/;

/**
 * Runs `work` on the files of a namespace.
 * @throws DamagedNamespaceError when the files are damaged; RepeatedDocumentError when a document was created twice;
 * Unavailable when the files cannot be read or written. Other errors stay as they are.
 */
export function guarded<Result>(namespace: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    // A document that is no JSON is damaged, too.
    const isDamaged = DAMAGED.test(sqliteCode(error) ?? '') || error instanceof SyntaxError;
    if (isDamaged) throw new DamagedNamespaceError(namespace, error);
    // The only constraint is that a collection has each key once.
    if (isConstraint(error)) throw new RepeatedDocumentError(namespace);
    throw isOfTheFiles(error) ? new Unavailable('read store', error) : error;
  }
}
