import { existsSync } from 'node:fs';

/** What the members of a cluster are told, each of itself and of the others. */
export interface View {
  /** Their ports. */
  readonly members: readonly number[];
  readonly leader: number;
}

/** Says, beside a log, that its leader was deposed: one that was frozen meanwhile may not go on with it. */
export function deposedMark(log: string): string {
  return `${log}.deposed`;
}

/** Ends the process if it was deposed, as a real node ends itself then: nothing it has not answered yet counts. */
export function endIfDeposed(log: string): void {
  if (existsSync(deposedMark(log))) process.exit(0);
}
