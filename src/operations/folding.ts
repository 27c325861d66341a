import { messageOf } from '../kernel/errors.js';
import { printable } from '../command-line/printable.js';
import { progressBar } from '../command-line/progress-bar.js';
import type { Maintenance } from '../projections/maintenance.js';
import type { FoldOptions } from '../projections/refold.js';

export interface Form {
  readonly json?: true;
}

export interface Data<Row> extends Record<string, unknown> {
  readonly data: readonly Row[];
}

/** The rows of the projections that succeeded, and the names of the projections that failed. */
export interface Done<Row> extends Data<Row> {
  readonly failed: readonly string[];
}

/** Calls `work` for each name in turn. Reports a failure and continues with the next name; stops at an interruption. */
export async function each<Row>(
  names: readonly string[],
  work: (name: string) => Promise<Row>,
): Promise<Done<Row>> {
  const data: Row[] = [];
  const failed: string[] = [];
  for (const name of names) {
    try {
      data.push(await work(name));
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      failed.push(name);
      tell(`${name}: ${messageOf(error)}`);
    }
  }
  return { data, failed };
}

class Interrupted extends Error {}

/** Calls `fold`, shows a progress bar meanwhile, and aborts the fold at SIGINT or SIGTERM. */
export async function folding<Result>(
  maintenance: Maintenance,
  { doing, name }: { readonly doing: string; readonly name: string },
  { json }: Form,
  fold: (options: FoldOptions) => Promise<Result>,
): Promise<Result> {
  const abort = new AbortController();
  const onSignal = (): void => {
    abort.abort(
      new Interrupted(`interrupted ${doing} ${name}; the generation before still serves`),
    );
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const bar = json ? undefined : progressBar(`${doing} ${name}`);
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
    abort.signal.throwIfAborted();
    throw error;
  } finally {
    bar?.end();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** Writes a line for people to standard error. */
export function tell(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}
