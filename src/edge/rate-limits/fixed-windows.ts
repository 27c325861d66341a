/** A window of time in which a rate limit counts uses. A window begins with its first use and has a fixed length. */
export interface FixedWindow {
  readonly used: number;
  readonly endsAt: Date;
}

export interface WindowLimit {
  readonly count: number;
  readonly seconds: number;
}

/** The result of `FixedWindows.use`. A use that the limit does not grant is not counted. */
export interface WindowUse {
  readonly granted: boolean;
  readonly window: FixedWindow;
}

/** Counts uses in the memory of this process, in one window at a time for each id. */
export class FixedWindows {
  /** The windows in the order in which they began. */
  readonly #windows = new Map<string, FixedWindow>();

  /** Counts a use in the window of an id, if the limit grants it. Begins a new window at `now` if the last is over. */
  use(id: string, { count, seconds }: WindowLimit, now: Date): WindowUse {
    this.#forgetEnded(now);
    const endsAt = new Date(now.getTime() + seconds * 1_000);
    const window = this.#begun(id, now, endsAt) ?? { used: 0, endsAt };
    if (window.used >= count) return { granted: false, window };
    return { granted: true, window: this.#keep(id, window.used + 1, window.endsAt) };
  }

  /** Subtracts a use from the window that counted it. @returns the changed window; undefined if the window is gone. */
  giveBack(id: string, { endsAt }: FixedWindow): FixedWindow | undefined {
    const window = this.#windows.get(id);
    if (window?.endsAt.getTime() !== endsAt.getTime()) return undefined;
    return this.#keep(id, window.used - 1, endsAt);
  }

  /** Returns the current window of an id. A window that ends after `last` began before the clock was set back. */
  #begun(id: string, now: Date, last: Date): FixedWindow | undefined {
    const window = this.#windows.get(id);
    if (!window || (window.endsAt > now && window.endsAt <= last)) return window;
    this.#windows.delete(id);
    return undefined;
  }

  #keep(id: string, used: number, endsAt: Date): FixedWindow {
    const window = { used, endsAt };
    this.#windows.set(id, window);
    return window;
  }

  /** Drops windows that are over. They end in the order in which they began, unless the clock was set back. */
  #forgetEnded(now: Date): void {
    for (const [id, { endsAt }] of this.#windows) {
      if (endsAt > now) return;
      this.#windows.delete(id);
    }
  }
}
