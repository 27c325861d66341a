/** The file that holds commits to the embedded log until a checkpoint copies them into the database. */
export interface WriteAheadLog {
  readonly bytes: number;
}

/** The injection token of the `WriteAheadLog`, which is null when the event log is on a log server. */
export const WRITE_AHEAD = Symbol('WriteAheadLog');
