/**
 * Returns the code of an SQLite error, such as SQLITE_FULL, also an extended one; undefined for
 * others. Checks the shape, because each load of the driver's module exports another class.
 */
export function sqliteCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined;
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error)?.startsWith('SQLITE_BUSY') ?? false;
}

/** Whether another connection recovers the database from the log that a killed process left. */
export function isRecovery(error: unknown): boolean {
  return sqliteCode(error) === 'SQLITE_BUSY_RECOVERY';
}

/** Whether a constraint or a trigger refused a statement. The statement then changed nothing. */
export function isConstraint(error: unknown): boolean {
  return sqliteCode(error)?.startsWith('SQLITE_CONSTRAINT') ?? false;
}

/** Whether a statement does not fit the tables of its database. */
export function hasNoTable(error: unknown): boolean {
  return sqliteCode(error) === 'SQLITE_ERROR';
}
