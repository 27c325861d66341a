/** What the simulator has done since its start, and what is under way. */
export interface Counts {
  /** Reads of single streams. */
  readonly streamReads: number;
  /** Messages of reads and subscriptions that were sent. */
  readonly messages: number;
  readonly openReads: number;
  readonly openSubscriptions: number;
}

export class Counter {
  readonly counts: { -readonly [Name in keyof Counts]: Counts[Name] } = {
    streamReads: 0,
    messages: 0,
    openReads: 0,
    openSubscriptions: 0,
  };

  /** Counts a call as open until the signal aborts. */
  open(kind: 'openReads' | 'openSubscriptions', over: AbortSignal): void {
    this.counts[kind] += 1;
    over.addEventListener('abort', () => (this.counts[kind] -= 1), { once: true });
  }
}
