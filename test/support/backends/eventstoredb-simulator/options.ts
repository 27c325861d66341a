/** The options of a simulator. The defaults are those of a real server. */
export interface SimulatorOptions {
  /** `MaxAppendSize`. */
  readonly maxAppendBytes?: number;
  /**
   * `real`: appends and a restart take the time of a real server (`pace.ts`). Absent: as fast as
   * possible.
   */
  readonly pace?: 'real';
}
