import { Presets, SingleBar } from 'cli-progress';
import { messageOf } from '../../kernel/errors.js';
import type { Maintenance } from '../../event-sourcing/projections/maintenance/maintenance.js';
import type { FoldOptions } from '../../event-sourcing/projections/maintenance/rebuild.js';

export interface JsonOption {
  readonly json?: true;
}

/** Calls `fold` with a progress bar if standard error is a terminal. SIGINT and SIGTERM abort. */
export async function foldWithProgress<Result>(
  maintenance: Pick<Maintenance, 'name' | 'shareBefore'>,
  doing: string,
  { json }: JsonOption,
  fold: (options: FoldOptions) => Promise<Result>,
  stream: NodeJS.WritableStream = process.stderr,
): Promise<Result> {
  const abort = new AbortController();
  const onSignal = (): void => {
    abort.abort(new Error(`interrupted ${doing}; the previous generation is still in use`));
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const format = `${doing} ${maintenance.name} {bar} {percentage}% | {events} events | {eta_formatted} left`;
  // This function handles signals itself.
  const options = { format, stream, clearOnComplete: true, hideCursor: true, gracefulExit: false };
  const bar = new SingleBar(options, Presets.shades_classic);
  if (!json) bar.start(1, 0, { events: 0 });
  let counting = false;
  const onProgress = (reached: string, events: number): void => {
    if (counting) return;
    counting = true;
    // An error of the log is ignored here, because the fold meets and reports the same error.
    const updated = maintenance.shareBefore(reached).then(
      (share) => bar.update(share, { events }),
      () => undefined,
    );
    void updated.finally(() => (counting = false));
  };
  try {
    return await fold({ signal: abort.signal, onProgress });
  } catch (error) {
    const fault: unknown = abort.signal.aborted ? abort.signal.reason : error;
    throw new Error(`${maintenance.name}: ${messageOf(fault)}`, { cause: error });
  } finally {
    bar.stop();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}
