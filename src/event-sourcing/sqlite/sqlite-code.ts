/**
 * Returns the code of an SQLite error, such as SQLITE_FULL, extended codes included; undefined for any other error.
 * Checks the shape and not the class, because the driver throws one class, and each load of its module exports another.
 */
export function sqliteCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined;
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error)?.startsWith('SQLITE_BUSY') ?? false;
}

/** Whether a constraint or a trigger refused a statement. The statement then changed nothing. */
export function isConstraint(error: unknown): boolean {
  return sqliteCode(error)?.startsWith('SQLITE_CONSTRAINT') ?? false;
}

/** Whether a statement does not fit the tables of its database. */
export function hasNoTable(error: unknown): boolean {
  return sqliteCode(error) === 'SQLITE_ERROR';
}
