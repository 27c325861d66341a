import { constants, openSync, write, writeSync } from 'node:fs';

/** The maximum length of the text that waits for a slow reader. Further texts are dropped. */
const MOST_WAITING = 16 * 1024 * 1024;
/** How long texts gather for one write, which costs as much as a tenth of a verification. */
const GATHER_MS = 10;
const RETRY_AFTER_MS = 50;
/** How long the exit of the process waits for a slow reader. */
const LAST_WORDS_MS = 500;

/**
 * A writer to standard output or standard error that never blocks (docs/operations/process.md).
 * With a pipe without a reader, a full disk or a suspended terminal, only lines are lost, and the
 * process can always end.
 */
export class Output {
  readonly #descriptor: number;
  #waiting: string[] = [];
  #waitingLength = 0;
  /** The rest of the texts that are written together. */
  #batch = Buffer.alloc(0);
  #isWriting = false;
  #gathering: NodeJS.Timeout | undefined;
  #dropped = 0;

  /**
   * @param standard 1 for standard output, 2 for standard error.
   * @param onRoom is called when writes succeed again, with the number of texts dropped until then.
   */
  constructor(
    standard: 1 | 2,
    private readonly onRoom: (dropped: number) => void = () => undefined,
  ) {
    this.#descriptor = withoutWaiting(standard);
    process.once('exit', () => this.#sayLastWords());
  }

  /** Writes a text within a few milliseconds. Drops the text when too much waits already. */
  write(text: string): void {
    if (this.#batch.length + this.#waitingLength + text.length > MOST_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(text);
    this.#waitingLength += text.length;
    // The write is deferred: `#sayLastWords` alone writes what comes right before the end.
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#writeNext();
    }, GATHER_MS);
  }

  #writeNext(): void {
    if (this.#isWriting || !this.#hasMore()) return;
    this.#isWriting = true;
    write(this.#descriptor, this.#batch, (error, taken) => {
      this.#isWriting = false;
      if (error) {
        if (!isForNow(error)) this.#dropBatch();
        setTimeout(() => this.#writeNext(), RETRY_AFTER_MS).unref();
        return;
      }
      this.#batch = this.#batch.subarray(taken);
      const dropped = this.#dropped;
      this.#dropped = 0;
      if (dropped > 0) this.onRoom(dropped);
      if (this.#batch.length > 0 || !this.#gathering) this.#writeNext();
    });
  }

  /** Whether there is something to write. Gathers the waiting texts when the batch is written. */
  #hasMore(): boolean {
    if (this.#batch.length === 0) {
      this.#batch = Buffer.from(this.#waiting.join(''));
      this.#waiting = [];
      this.#waitingLength = 0;
    }
    return this.#batch.length > 0;
  }

  /** Drops a batch that cannot be written. Later ones are tried: a disk may have room again. */
  #dropBatch(): void {
    this.#dropped += this.#batch.toString().trimEnd().split('\n').length;
    this.#batch = Buffer.alloc(0);
  }

  #sayLastWords(): void {
    const deadline = performance.now() + LAST_WORDS_MS;
    if (this.#isWriting) {
      // Node completes a pending write before the process ends, so it must not be written again.
      this.#batch = Buffer.alloc(0);
      sleepShortly();
    }
    while (this.#hasMore() && performance.now() < deadline) {
      try {
        this.#batch = this.#batch.subarray(writeSync(this.#descriptor, this.#batch));
      } catch (error) {
        if (!isForNow(error)) return;
        sleepShortly();
      }
    }
  }
}

/**
 * Returns a non-blocking descriptor of the same file as `standard`. Opens the file again, because a
 * flag on `standard` would also apply to other processes that share the descriptor, such as the
 * shell on the same terminal.
 */
function withoutWaiting(standard: number): number {
  try {
    const flags =
      constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK | constants.O_NOCTTY;
    return openSync(`/proc/self/fd/${standard}`, flags);
  } catch {
    // A socket cannot be opened again, and some systems have no /proc. Node makes pipes and sockets
    // non-blocking itself.
    return standard === 1 ? process.stdout.fd : process.stderr.fd;
  }
}

function sleepShortly(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}

/** Whether a failed write may succeed later without any change. */
function isForNow(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EAGAIN' || code === 'EBUSY';
}
