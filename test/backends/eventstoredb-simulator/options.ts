/** The options of a simulator. The defaults are those of a real server. */
export interface SimulatorOptions {
  /** `MaxAppendSize`. */
  readonly maxAppendBytes?: number;
  /**
   * The reported version. Null: the server does not know the call, like servers before 21.10. Absent: the imitated
   * version.
   */
  readonly version?: string | null;
  /** `real`: appends and a restart take the time of a real server (`pace.ts`). Absent: as fast as possible. */
  readonly pace?: 'real';
}
