import { setImmediate as nextTurn } from 'node:timers/promises';
import { WakeUp } from '../../waiting/wake-up.js';
import { Silence } from './faults.js';
import type { ReceivedEvent } from './stored-form.js';

/** The client's stream of a read or a subscription. Its type does not quite extend Node's. */
type Source = {
  readonly readableLength: number;
  read(size?: number): unknown;
  resume(): unknown;
  removeAllListeners(event: string): unknown;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
} & ({ cancel(): Promise<void> } | { unsubscribe(): Promise<void> });

interface Call {
  on(event: 'status', listener: (status: { readonly code: number }) => void): unknown;
}

const STATUS_OK = 0;

/**
 * The events that a call of the client streams, taken one by one. The caller must close it, because
 * the client leaves a call open that has no listener any more.
 */
export class StreamedCall {
  #fault: Error | undefined;
  #isOver = false;
  #isComplete = false;
  #hasBegun = false;
  #isLive = false;
  #lastSign = performance.now();
  readonly #wakeUp = new WakeUp();

  constructor(private readonly source: Source) {
    const on = (event: string, note: (detail: unknown) => void): void => {
      source.on(event, (detail) => {
        note(detail);
        this.#wakeUp.wakeAll();
      });
    };
    on('readable', () => {
      // The end of the stream comes as a `readable` event. Only an attempt to read finds the end.
      if (source.readableLength === 0) source.read(0);
      this.#lastSign = performance.now();
    });
    on('confirmation', () => (this.#hasBegun = true));
    on('caughtUp', () => (this.#isLive = true));
    on('end', () => (this.#isOver = true));
    on('close', () => (this.#isOver = true));
    // Always listened to: an error without a listener ends the process.
    on('error', (error) => {
      this.#fault ??= error instanceof Error ? error : new Error(String(error));
    });
    // A call that the client cancels ends like a complete one. Only its status tells them apart.
    source.on('pipe', (call) => {
      (call as Call).on('status', ({ code }) => (this.#isComplete = code === STATUS_OK));
    });
  }

  /** Ends the call. Arrived events can still be taken. Waiting for more throws `fault`. */
  breakOff(fault: Error): void {
    this.#fault ??= fault;
    this.#wakeUp.wakeAll();
  }

  get hasEvent(): boolean {
    return this.source.readableLength > 0;
  }

  /** Takes the next event that has arrived; undefined when there is none yet. */
  take(): ReceivedEvent | undefined {
    for (;;) {
      // Only a gap or a link has no event, and no call asks for links.
      const resolved = this.source.read() as { readonly event?: ReceivedEvent } | null;
      if (resolved === null || resolved.event) return resolved?.event;
    }
  }

  /** Waits until a subscription has begun, with or without events. Ends as `waitForEvent`. */
  waitForBeginning(withinMs: number, signal: AbortSignal): Promise<boolean> {
    return this.#wait(() => this.#hasBegun, withinMs, signal);
  }

  /**
   * Waits for an event that can be taken.
   * @param withinMs how long the server may be silent. Default: for ever.
   * @returns whether there is one: false when the server has sent all, and after `signal` aborted.
   * @throws the fault that broke the call off; Silence when the server was silent for too long.
   */
  waitForEvent(withinMs?: number, signal?: AbortSignal): Promise<boolean> {
    return this.#wait(() => this.hasEvent, withinMs, signal);
  }

  /**
   * Waits for an event that was in the log when the call began. Throws as `waitForEvent`.
   * @returns false when all of them were taken.
   */
  async waitForStored(withinMs: number): Promise<boolean> {
    const isOpen = await this.#wait(() => this.hasEvent || this.#isLive, withinMs);
    if (isOpen && !this.hasEvent) {
      // The client says that a subscription has caught up before it passes on the last events.
      await nextTurn();
    }
    return this.hasEvent;
  }

  /** Ends the call, and drops the events under way: otherwise the client waits for ever. */
  close(): void {
    const { source } = this;
    const ended = 'unsubscribe' in source ? source.unsubscribe() : source.cancel();
    // A call that did not begin cannot be ended either.
    ended.catch(() => undefined);
    source.removeAllListeners('readable');
    source.resume();
  }

  async #wait(seen: () => boolean, withinMs = Infinity, signal?: AbortSignal): Promise<boolean> {
    this.#lastSign = performance.now();
    for (;;) {
      if (signal?.aborted === true) return false;
      if (seen()) return true;
      if (this.#fault !== undefined) throw this.#fault;
      if (this.#isOver && this.#isComplete) return false;
      if (this.#isOver) throw new Silence('the call was cut off');
      const leftMs = this.#lastSign + withinMs - performance.now();
      if (leftMs <= 0) throw Silence.after(withinMs);
      await this.#wakeUp.wait(signal, leftMs);
    }
  }
}

/** Takes the events of a call that were in the log when it began. Throws as `waitForEvent`. */
export async function* receive(source: Source, withinMs: number): AsyncIterable<ReceivedEvent> {
  const call = new StreamedCall(source);
  try {
    while (await call.waitForStored(withinMs)) {
      for (let event = call.take(); event; event = call.take()) yield event;
    }
  } finally {
    call.close();
  }
}
