import { constants, openSync, write, writeSync } from 'node:fs';

/** Bytes that wait for a slow reader. What comes beyond is dropped. */
const MOST_WAITING = 16 * 1024 * 1024;
/** In one call, so that little is left to say again after a part was taken. */
const LONGEST_WRITE = 64 * 1024;
const AGAIN_AFTER_MS = 50;
/** How long the end of the process waits for a reader to take what is left. */
const LAST_WORDS_MS = 500;
const LAST_WORDS_STEP_MS = 10;

/**
 * Standard output or standard error of a service: never waits for a reader (docs/api.md 8.4). A pipe that nobody reads, a
 * full disk and a suspended terminal cost lines and nothing else, and the process can always end.
 */
export class Output {
  readonly #descriptor: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  /** Whether a part of the first text that waits was taken. */
  #isTorn = false;
  #dropped = 0;
  #droppedTold = 0;

  /**
   * @param standard 1 or 2.
   * @param onRoom told, once texts are taken again, how many were dropped since it was told before.
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

  /** Texts that were dropped so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes a text, to be written as soon as it can be, or drops it when too much waits already. */
  write(text: string): void {
    const bytes = Buffer.from(text);
    if (this.#waitingBytes + bytes.length > MOST_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    // Not at once, so that what is said right before the end of the process is said by its last words alone.
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
        this.#tellDropped();
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

  #tellDropped(): void {
    const dropped = this.#dropped - this.#droppedTold;
    if (dropped === 0) return;
    this.#droppedTold = this.#dropped;
    this.onRoom(dropped);
  }

  /** A disk that is full now may have room later, for what is said then. */
  #dropAll(): void {
    this.#dropped += this.#waiting.length;
    // Whatever comes next is not to stand in the line of which a part was taken.
    this.#waiting = this.#isTorn ? [Buffer.from('\n')] : [];
    this.#waitingBytes = this.#waiting.length;
    this.#isTorn = false;
  }

  #sayLastWords(): void {
    const deadline = performance.now() + LAST_WORDS_MS;
    if (this.#isWriting) {
      // Node ends a write that is under way before the process, so it must not be repeated.
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
 * A descriptor of the same file whose writes give up instead of waiting. It is opened anew, as the flag would else hold for
 * whoever shares the file, such as the shell on the same terminal.
 */
function withoutWaiting(standard: number): number {
  try {
    const flags =
      constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK | constants.O_NOCTTY;
    return openSync(`/proc/self/fd/${standard}`, flags);
  } catch {
    // A socket cannot be opened anew, nor anything where there is no /proc. Node makes pipes and sockets non-blocking itself.
    return standard === 1 ? process.stdout.fd : process.stderr.fd;
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function isForNow(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EAGAIN' || code === 'EBUSY';
}
