import cliProgress from 'cli-progress';

/** Shows how far something is that goes through events. */
export interface ProgressBar {
  /** @param share what is done, of 1. */
  update(share: number, events: number): void;
  end(): void;
}

/** Of the bar, which shows them as percent. */
const STEPS = 10_000;

const NONE: ProgressBar = { update: () => undefined, end: () => undefined };

/** A bar with rate and time left on standard error, when that is a terminal; else nothing. */
export function progressBar(title: string): ProgressBar {
  if (!process.stderr.isTTY) return NONE;
  const bar = new cliProgress.SingleBar(
    {
      format: '{title} {bar} {percentage}% | {events} events | {rate}/s | {eta_formatted} left',
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
    update(share, events) {
      if (!bar.isActive) bar.start(STEPS, 0, { title, events: 0, rate: 0 });
      const seconds = (performance.now() - started) / 1_000;
      bar.update(Math.round(share * STEPS), { events, rate: Math.round(events / seconds) });
    },
    end() {
      bar.stop();
    },
  };
}
