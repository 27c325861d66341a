import type { Release } from '../http/callers/keyed-semaphore.js';

/** The maximum number of answers that are streamed at once: for each account, and for all accounts together. */
export interface StreamLimit {
  readonly ofAccount: number;
  readonly inAll: number;
}

/** A semaphore for the streams of this process, with a bound for each account and a bound for all accounts together. */
export class StreamSlots {
  readonly #byAccount = new Map<string, number>();
  #inAll = 0;

  constructor(private readonly limit: StreamLimit) {}

  /** Takes a slot for a stream. @returns undefined when no slot is free. */
  tryAcquire(account: string): Release | undefined {
    const ofAccount = this.#byAccount.get(account) ?? 0;
    if (ofAccount >= this.limit.ofAccount || this.#inAll >= this.limit.inAll) return undefined;
    this.#byAccount.set(account, ofAccount + 1);
    this.#inAll += 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#release(account);
    };
  }

  #release(account: string): void {
    const left = (this.#byAccount.get(account) ?? 0) - 1;
    if (left > 0) this.#byAccount.set(account, left);
    else this.#byAccount.delete(account);
    this.#inAll -= 1;
  }
}
