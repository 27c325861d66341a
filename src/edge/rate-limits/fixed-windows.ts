/** A window of a rate limit. It begins with its first use, and has a fixed length. */
export interface FixedWindow {
  /** The uses so far. A use that is taken back is subtracted. */
  used: number;
  readonly endsAt: Date;
}

export interface WindowLimit {
  readonly count: number;
  readonly seconds: number;
}

/** Counts uses in the memory of this process, in one window at a time for each id. */
export class FixedWindows {
  /** The windows in the order in which they began. */
  readonly #windows = new Map<string, FixedWindow>();

  /** Counts a use in the window of an id, or in a new one from `now` on, if the limit grants it. */
  use(id: string, { count, seconds }: WindowLimit, now: Date) {
    this.#forgetEnded(now);
    const endsAt = new Date(now.getTime() + seconds * 1_000);
    let window = this.#windows.get(id);
    // A window that ends after a new one would began before the clock was set back.
    if (!window || window.endsAt <= now || window.endsAt > endsAt) {
      window = { used: 0, endsAt };
      this.#windows.delete(id);
      this.#windows.set(id, window);
    }
    const granted = window.used < count;
    if (granted) window.used += 1;
    return { granted, window };
  }

  /** Drops windows that are over. They end in their order, unless the clock was set back. */
  #forgetEnded(now: Date): void {
    for (const [id, { endsAt }] of this.#windows) {
      if (endsAt > now) return;
      this.#windows.delete(id);
    }
  }
}
