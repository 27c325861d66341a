/** The calls that the simulator has handled since its start, and those that are open. */
export interface Counts {
  readonly appends: number;
  /** Reads of single streams, and of the whole log. */
  readonly streamReads: number;
  readonly logReads: number;
  /** Messages of reads and subscriptions that were sent. */
  readonly messages: number;
  readonly openReads: number;
  readonly openSubscriptions: number;
}

export class Counter {
  readonly counts: { -readonly [Name in keyof Counts]: Counts[Name] } = {
    appends: 0,
    streamReads: 0,
    logReads: 0,
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
