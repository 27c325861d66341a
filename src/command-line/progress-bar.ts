import cliProgress from 'cli-progress';

/** Shows how far something is that goes through events. */
export interface ProgressBar {
  /** @param share what is done, of 1. */
  update(share: number, events: number): void;
  end(): void;
}

/** Standard error, or what stands for it. */
export type ProgressStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** Of the bar, which shows them as percent. */
const STEPS = 10_000;

const NONE: ProgressBar = { update: () => undefined, end: () => undefined };

/** A bar with rate and time left on a stream, when that is a terminal; else nothing. */
export function progressBar(title: string, stream: ProgressStream = process.stderr): ProgressBar {
  if (!stream.isTTY) return NONE;
  const bar = new cliProgress.SingleBar(
    {
      format: '{title} {bar} {percentage}% | {events} events | {rate}/s | {left}',
      stream,
      clearOnComplete: true,
      hideCursor: true,
      // Signals are the command's to handle.
      gracefulExit: false,
    },
    cliProgress.Presets.shades_classic,
  );
  const started = performance.now();
  let ended = false;
  return {
    update(share, events) {
      // Who was asked how far it is may answer late, and a bar that runs keeps the process.
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

/** What is left when all events are folded takes about as long as folding did, and nobody counts it. */
function leftOf(share: number, seconds: number): string {
  if (share >= 1) return 'folded; making indexes, comparing';
  return share > 0 ? `${Math.ceil(seconds / share - seconds)}s left` : '';
}
