import { messageOf } from '../../kernel/errors.js';
import { sqliteCode } from '../../sqlite/sqlite-code.js';

const BROKEN = /^SQLITE_(?:CORRUPT|NOTADB)/;

/** Opens a database of read models. @throws naming its file, and what helps when it is broken. */
export function opening<Opened>(file: string, open: () => Opened): Opened {
  try {
    return open();
  } catch (cause) {
    const help = BROKEN.test(sqliteCode(cause) ?? '')
      ? ' (it is folded anew when it is deleted with its -wal and -shm, and nothing has it open)'
      : '';
    throw new Error(`the read models in ${file} cannot be opened${help}: ${messageOf(cause)}`, {
      cause,
    });
  }
}
