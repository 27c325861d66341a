/** What commits to the embedded log stand in until they are taken over into its file. */
export interface WriteAheadLog {
  readonly bytes: number;
}

/** Null where the log is on a server. */
export const WRITE_AHEAD = Symbol('WriteAheadLog');
