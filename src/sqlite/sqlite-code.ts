/**
 * Returns the code of an SQLite error, such as SQLITE_FULL, extended codes included; undefined for any other error. It
 * checks the shape, because the driver has one error class in a process, and its module may be loaded more than once.
 */
export function sqliteCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined;
}

/** Whether a statement failed because another connection has the lock. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error)?.startsWith('SQLITE_BUSY') ?? false;
}

/** Whether a constraint or a trigger refused a statement. The statement then changed nothing. */
export function isConstraint(error: unknown): boolean {
  return sqliteCode(error)?.startsWith('SQLITE_CONSTRAINT') ?? false;
}
