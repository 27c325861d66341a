import { existsSync } from 'node:fs';

/** The description of a cluster that each member gets. */
export interface View {
  /** The ports of the members. */
  readonly members: readonly number[];
  readonly leader: number;
}

/** Marks a log, so that a leader that was frozen and deposed cannot go on writing it. */
export function deposedMark(log: string): string {
  return `${log}.deposed`;
}

/** Ends the process if it was deposed, like a real node. Writes without an answer do not count. */
export function endIfDeposed(log: string): void {
  if (existsSync(deposedMark(log))) process.exit(0);
}
