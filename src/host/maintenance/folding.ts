import { messageOf } from '../../kernel/errors.js';
import { printable } from '../../edge/command-line/for-people.js';
import { progressBar } from '../../edge/command-line/progress-bar.js';
import type { Maintenance } from '../../event-sourcing/projections/maintenance.js';
import type { FoldOptions } from '../../event-sourcing/projections/refold.js';

export interface Form {
  readonly json?: true;
}

/** Calls `fold`, shows a progress bar meanwhile, and aborts the fold at SIGINT or SIGTERM. */
export async function folding<Result>(
  maintenance: Maintenance,
  doing: string,
  { json }: Form,
  fold: (options: FoldOptions) => Promise<Result>,
): Promise<Result> {
  const abort = new AbortController();
  const onSignal = (): void => {
    abort.abort(new Error(`interrupted ${doing}; the generation before still serves`));
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const bar = json ? undefined : progressBar(`${doing} ${maintenance.name}`);
  let counting = false;
  const onProgress = (reached: string, folded: number): void => {
    if (!bar || counting) return;
    counting = true;
    // An error of the log is ignored here, because the fold meets and reports the same error.
    const told = maintenance.shareBefore(reached).then(
      (share) => bar.update(share, folded),
      () => undefined,
    );
    void told.finally(() => (counting = false));
  };
  try {
    return await fold({ signal: abort.signal, onProgress });
  } catch (error) {
    const fault: unknown = abort.signal.aborted ? abort.signal.reason : error;
    throw new Error(`${maintenance.name}: ${messageOf(fault)}`, { cause: error });
  } finally {
    bar?.end();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** Writes a line for people to standard error. */
export function tell(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}
