/** The file in which commits to the embedded log stand until a checkpoint copies them into the database. */
export interface WriteAheadLog {
  readonly bytes: number;
}

/** Null where the log is on a server. */
export const WRITE_AHEAD = Symbol('WriteAheadLog');
