import { TimedOut } from './faults.js';
import type { ReceivedEvent, Resolved } from './records.js';

/** A stream of events from the client: a read, or a subscription. */
type Source = Streaming & ({ cancel(): Promise<void> } | { unsubscribe(): Promise<void> });

/** The part of Node's readable streams that is used. The client's types do not quite extend Node's types. */
interface Streaming {
  readonly readableLength: number;
  read(size?: number): unknown;
  resume(): unknown;
  removeAllListeners(event: string): unknown;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
}

/**
 * The events that a call of the client streams, taken one by one. The user of an `Incoming` must close it, because the
 * client leaves a call open that has no listener any more.
 */
export class Incoming {
  #fault: Error | undefined;
  #over = false;
  #begun = false;
  #caughtUp = false;
  #peeked: ReceivedEvent | undefined;
  #lastSign = performance.now();
  #wake: () => void = () => undefined;

  constructor(private readonly source: Source) {
    const end = (): void => {
      this.#over = true;
      this.#wake();
    };
    source.on('readable', () => {
      // The end of the stream comes as a `readable` event. Only an attempt to read finds the end.
      if (source.readableLength === 0) source.read(0);
      this.alive();
    });
    source.on('confirmation', () => {
      this.#begun = true;
      this.#wake();
    });
    // `caughtUp` may come while earlier events still wait to be taken.
    source.on('caughtUp', () => {
      this.#caughtUp = true;
      this.#wake();
    });
    source.on('end', end);
    source.on('close', end);
    // Always listened to: an error without a listener ends the process.
    source.on('error', (error) => {
      this.#fault ??= error instanceof Error ? error : new Error(String(error));
      end();
    });
  }

  /** Notes that the server gave a sign of life, even if the server had no event to send. */
  alive(): void {
    this.#lastSign = performance.now();
    this.#wake();
  }

  /** Breaks the call off. Events that have arrived can still be taken; waiting for more throws `fault`. */
  breakOff(fault: Error): void {
    this.#fault ??= fault;
    this.#wake();
  }

  /** Whether there is an event that can be taken now. */
  get waiting(): boolean {
    return this.#peeked !== undefined || this.source.readableLength > 0;
  }

  /** Takes the next event that has arrived; undefined when there is none yet. */
  take(): ReceivedEvent | undefined {
    const event = this.peek();
    this.#peeked = undefined;
    return event;
  }

  /** Returns the next event that has arrived, but does not take the event; undefined when no event has arrived. */
  peek(): ReceivedEvent | undefined {
    while (!this.#peeked) {
      const resolved = this.source.read() as Resolved | null;
      if (resolved === null) return undefined;
      this.#peeked = resolved.event;
    }
    return this.#peeked;
  }

  /** Waits until a subscription has begun, whether or not an event arrives. @throws as `arrived` does. */
  async begun(withinMs: number, signal: AbortSignal): Promise<boolean> {
    return this.#until(() => this.#begun, withinMs, signal);
  }

  /**
   * Waits for an event that can be taken.
   * @param withinMs how long the server may be silent. Default: for ever.
   * @returns whether there is an event: false at the end of the stream, and after `signal` aborted.
   * @throws the fault that broke the call off; TimedOut when the server was silent for too long.
   */
  async arrived(withinMs?: number, signal?: AbortSignal): Promise<boolean> {
    return this.#until(() => this.waiting, withinMs, signal);
  }

  /** Waits until an event can be taken, or the server has sent all its events. Otherwise the same as `arrived`. */
  async arrivedOrCaughtUp(signal: AbortSignal): Promise<boolean> {
    return this.#until(() => this.waiting || this.#caughtUp, undefined, signal);
  }

  /** Ends the call. Reads and drops the events under way, because otherwise the client waits for the end for ever. */
  close(): void {
    const { source } = this;
    const ended = 'unsubscribe' in source ? source.unsubscribe() : source.cancel();
    // A call that did not begin cannot be ended either.
    ended.catch(() => undefined);
    source.removeAllListeners('readable');
    source.resume();
  }

  async #until(
    seen: () => boolean,
    withinMs: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    this.#lastSign = performance.now();
    for (;;) {
      if (signal?.aborted === true) return false;
      if (seen()) return true;
      if (this.#fault !== undefined) throw this.#fault;
      if (this.#over) return false;
      if (withinMs === undefined) {
        await this.#sign(undefined, signal);
        continue;
      }
      const left = this.#lastSign + withinMs - performance.now();
      if (left <= 0) throw new TimedOut(withinMs);
      await this.#sign(left, signal);
    }
  }

  /** Resolves when the call reports something, when `signal` aborts, or after `withinMs`. */
  #sign(withinMs: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        this.#wake = () => undefined;
        resolve();
      };
      const timer = withinMs === undefined ? undefined : setTimeout(wake, withinMs);
      signal?.addEventListener('abort', wake, { once: true });
      this.#wake = wake;
    });
  }
}
