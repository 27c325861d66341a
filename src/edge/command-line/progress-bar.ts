import cliProgress from 'cli-progress';

/** The progress display of a command that reads events. */
export interface ProgressBar {
  /** @param share the finished part, from 0 to 1. */
  update(share: number, events: number): void;
  end(): void;
}

/** Standard error, or another stream in tests. */
export type ProgressStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** The number of steps of the whole bar. People see percent only. */
const STEPS = 10_000;

const NONE: ProgressBar = { update: () => undefined, end: () => undefined };

/** Creates a bar with rate and remaining time. The bar shows nothing when the stream is not a terminal. */
export function progressBar(title: string, stream: ProgressStream = process.stderr): ProgressBar {
  if (!stream.isTTY) return NONE;
  const bar = new cliProgress.SingleBar(
    {
      format: '{title} {bar} {percentage}% | {events} events | {rate}/s | {left}',
      stream,
      clearOnComplete: true,
      hideCursor: true,
      // The command handles signals itself.
      gracefulExit: false,
    },
    cliProgress.Presets.shades_classic,
  );
  const started = performance.now();
  let ended = false;
  return {
    update(share, events) {
      // An update may arrive late, and a running bar would keep the process alive.
      if (ended) return;
      if (!bar.isActive) bar.start(STEPS, 0, { title, events: 0, rate: 0, left: '' });
      const seconds = (performance.now() - started) / 1_000;
      const rate = Math.round(events / seconds);
      bar.update(Math.round(share * STEPS), { events, rate, left: leftOf(share, seconds) });
    },
    end() {
      ended = true;
      bar.stop();
    },
  };
}

/** Returns the remaining time of the fold. The work after the fold takes about as long, and is not counted. */
function leftOf(share: number, seconds: number): string {
  if (share >= 1) return 'folded; making indexes, comparing';
  return share > 0 ? `${Math.ceil(seconds / share - seconds)}s left` : '';
}
