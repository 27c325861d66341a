/** What a simulator is told at its start. Without an option it is as a server that was told nothing. */
export interface SimulatorOptions {
  /** `MaxAppendSize`. */
  readonly maxAppendBytes?: number;
  /** The version that it tells. Null: it does not know the call, as servers before 21.10. Absent: the one whose manners it has. */
  readonly version?: string | null;
  /** `real`: appends take the time of a real server (`pace.ts`), and so does a restart. Absent: as fast as it can. */
  readonly pace?: 'real';
}
