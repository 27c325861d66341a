import type { GiveBack } from '../http/turns.js';

/** Streams that are sent at once at most. */
export interface StreamLimit {
  readonly ofAccount: number;
  readonly inAll: number;
}

/** Counts the streams of this process while they are sent. */
export class StreamSlots {
  readonly #byAccount = new Map<string, number>();
  #inAll = 0;

  constructor(private readonly limit: StreamLimit) {}

  /** Takes a slot for a stream. @returns undefined when none is free. */
  take(account: string): GiveBack | undefined {
    const ofAccount = this.#byAccount.get(account) ?? 0;
    if (ofAccount >= this.limit.ofAccount || this.#inAll >= this.limit.inAll) return undefined;
    this.#byAccount.set(account, ofAccount + 1);
    this.#inAll += 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#giveBack(account);
    };
  }

  #giveBack(account: string): void {
    const left = (this.#byAccount.get(account) ?? 0) - 1;
    if (left > 0) this.#byAccount.set(account, left);
    else this.#byAccount.delete(account);
    this.#inAll -= 1;
  }
}
