/** What a simulator is told at its start. Without an option it is as a server that was told nothing. */
export interface SimulatorOptions {
  /** `MaxAppendSize`. */
  readonly maxAppendBytes?: number;
}
