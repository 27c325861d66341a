import { messageOf, Unavailable } from '../../../kernel/errors.js';
import { asFileFault } from '../../sqlite/file-faults.js';
import { sqliteCode } from '../../sqlite/sqlite-code.js';

/** The only constraint is that a collection has each key once. */
const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB|CONSTRAINT)/;

/**
 * Runs `work` on the files of a namespace.
 * @throws Unavailable when the files cannot be read or written, or are damaged, and when a document
 * was created twice. Other errors stay as they are.
 */
export function withNamespaceFaults<Result>(namespace: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (isDamage(error)) throw new Unavailable('read store', damageError(namespace, error));
    throw asFileFault('read store', error);
  }
}

export function isDamage(error: unknown): boolean {
  // A document that is no JSON is damaged, too.
  return DAMAGED.test(sqliteCode(error) ?? '') || error instanceof SyntaxError;
}

/** Says what to do. The name of a namespace begins with the name of its read side. */
function damageError(namespace: string, cause: unknown): Error {
  const [readSide] = namespace.split('.');
  const cure = `run keyledger projections rebuild ${readSide}, or stop the service and remove the read models of ${readSide}`;
  return new Error(`the data of ${namespace} is damaged (${messageOf(cause)}): ${cure}`, {
    cause,
  });
}
