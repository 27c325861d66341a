/** A window of time in which a rate limit counts uses. A window begins with its first use and has a fixed length. */
export interface FixedWindow {
  readonly used: number;
  /** The end of the window, by the clock of the process that began the window. */
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

/** Counts uses in fixed windows, one window at a time for each id. */
export interface FixedWindows {
  /** Counts a use in the window of an id, if the limit grants it. Begins a new window at `now` if the last is over. */
  use(id: string, limit: WindowLimit, now: Date): Promise<WindowUse>;
  /** Subtracts a use from the window that counted it. @returns the changed window; undefined if the window is gone. */
  giveBack(id: string, window: FixedWindow): Promise<FixedWindow | undefined>;
}

/** The token of the windows that all processes on one read store share; null if the read store is embedded. */
export const SHARED_WINDOWS = Symbol('SharedWindows');
