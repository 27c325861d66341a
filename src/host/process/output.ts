import { constants, openSync, write, writeSync } from 'node:fs';

/** The maximum number of bytes that wait for a slow reader. Further strings are dropped. */
const MOST_WAITING = 16 * 1024 * 1024;
/** The size, in bytes, up to which strings share one write. A small write leaves little to repeat if it is partial. */
const LONGEST_WRITE = 64 * 1024;
const AGAIN_AFTER_MS = 50;
/** How long the exit of the process waits for a slow reader. */
const LAST_WORDS_MS = 500;
const LAST_WORDS_STEP_MS = 10;

/**
 * A writer to standard output or standard error that never blocks (docs/operations/process.md). With a pipe without a reader, a
 * full disk or a suspended terminal, only lines are lost, and the process can always end.
 */
export class Output {
  readonly #descriptor: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  /** Whether a part of the first waiting string was written. */
  #isTorn = false;
  #dropped = 0;
  #droppedReported = 0;

  /**
   * @param standard 1 for standard output, 2 for standard error.
   * @param onRoom is called when writes succeed again, with the number of strings dropped since its last call.
   */
  constructor(
    standard: 1 | 2,
    private readonly onRoom: (dropped: number) => void = () => undefined,
  ) {
    this.#descriptor = withoutWaiting(standard);
    process.once('exit', () => {
      this.#sayLastWords();
    });
  }

  /** The number of dropped strings. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Writes a string as soon as possible. Drops the string when too many bytes wait already. */
  write(text: string): void {
    const bytes = Buffer.from(text);
    if (this.#waitingBytes + bytes.length > MOST_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    // The write is deferred, so that `#sayLastWords` alone writes the strings that come right before the process ends.
    setImmediate(() => {
      this.#writeOn();
    });
  }

  #writeOn(): void {
    if (this.#isWriting || this.#waiting.length === 0) return;
    this.#isWriting = true;
    write(this.#descriptor, this.#gathered(), (error, taken) => {
      this.#isWriting = false;
      if (!error) {
        this.#take(taken);
        this.#reportDropped();
        this.#writeOn();
        return;
      }
      if (!isForNow(error)) this.#dropAll();
      setTimeout(() => {
        this.#writeOn();
      }, AGAIN_AFTER_MS).unref();
    });
  }

  #gathered(): Buffer {
    const [first = Buffer.alloc(0)] = this.#waiting;
    if (first.length >= LONGEST_WRITE || this.#waiting.length === 1) return first;
    let length = 0;
    const fitting = this.#waiting.findIndex((bytes) => (length += bytes.length) > LONGEST_WRITE);
    const together = Buffer.concat(this.#waiting.splice(0, fitting < 0 ? Infinity : fitting));
    this.#waiting.unshift(together);
    return together;
  }

  #take(taken: number): void {
    this.#waitingBytes -= taken;
    const [first] = this.#waiting;
    this.#isTorn = first !== undefined && taken < first.length;
    if (first && this.#isTorn) this.#waiting[0] = first.subarray(taken);
    else this.#waiting.shift();
  }

  #reportDropped(): void {
    const dropped = this.#dropped - this.#droppedReported;
    if (dropped === 0) return;
    this.#droppedReported = this.#dropped;
    this.onRoom(dropped);
  }

  /** Drops the waiting strings. Later strings are still written, because a full disk may have room again. */
  #dropAll(): void {
    this.#dropped += this.#waiting.length;
    // The next string must not continue a line that was written in part.
    this.#waiting = this.#isTorn ? [Buffer.from('\n')] : [];
    this.#waitingBytes = this.#waiting.length;
    this.#isTorn = false;
  }

  #sayLastWords(): void {
    const deadline = performance.now() + LAST_WORDS_MS;
    if (this.#isWriting) {
      // Node completes a pending write before the process ends, so the string of that write must not be written again.
      this.#waiting.shift();
      sleep(LAST_WORDS_STEP_MS);
    }
    while (this.#waiting.length > 0 && performance.now() < deadline) {
      try {
        this.#take(writeSync(this.#descriptor, this.#gathered()));
      } catch (error) {
        if (!isForNow(error)) return;
        sleep(LAST_WORDS_STEP_MS);
      }
    }
  }
}

/**
 * Returns a non-blocking descriptor of the same file as `standard`. Opens the file again, because a flag on `standard`
 * would also apply to other processes that share the descriptor, such as the shell on the same terminal.
 */
function withoutWaiting(standard: number): number {
  try {
    const flags =
      constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK | constants.O_NOCTTY;
    return openSync(`/proc/self/fd/${standard}`, flags);
  } catch {
    // A socket cannot be opened again, and some systems have no /proc. Node makes pipes and sockets non-blocking itself.
    return standard === 1 ? process.stdout.fd : process.stderr.fd;
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Whether a failed write may succeed later without any change. */
function isForNow(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EAGAIN' || code === 'EBUSY';
}
