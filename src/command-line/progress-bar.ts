import cliProgress from 'cli-progress';

/** Shows how far something is that goes through events. */
export interface ProgressBar {
  update(done: number, all: number): void;
  end(): void;
}

const NONE: ProgressBar = { update: () => undefined, end: () => undefined };

/** A bar with rate and time left on standard error, when that is a terminal; else nothing. */
export function progressBar(title: string): ProgressBar {
  if (!process.stderr.isTTY) return NONE;
  const bar = new cliProgress.SingleBar(
    {
      format:
        '{title} {bar} {percentage}% | {value} of {total} events | {rate}/s | {eta_formatted} left',
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
      // Signals are the command's to handle.
      gracefulExit: false,
    },
    cliProgress.Presets.shades_classic,
  );
  const started = performance.now();
  return {
    update(done, all) {
      if (!bar.isActive) bar.start(all, 0, { title, rate: 0 });
      const seconds = (performance.now() - started) / 1_000;
      bar.setTotal(all);
      bar.update(done, { rate: Math.round(done / seconds) });
    },
    end() {
      bar.stop();
    },
  };
}
