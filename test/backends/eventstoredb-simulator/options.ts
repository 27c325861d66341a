/** What a simulator is told at its start. Without an option it is as a server that was told nothing. */
export interface SimulatorOptions {
  /** `MaxAppendSize`. */
  readonly maxAppendBytes?: number;
  /** `real`: appends take the time of a real server (`pace.ts`), and so does a restart. Absent: as fast as it can. */
  readonly pace?: 'real';
}
