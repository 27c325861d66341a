/** A window of a rate limit: it begins with its first use and has a fixed length. */
export interface FixedWindow {
  readonly used: number;
  /** The end of the window, by the clock of the process that began the window. */
  readonly endsAt: Date;
}

export interface WindowLimit {
  readonly count: number;
  readonly seconds: number;
}

/** The result of a request for a use. A use that is not granted is not counted. */
export interface WindowUse {
  readonly granted: boolean;
  readonly window: FixedWindow;
}

/** Counts uses in fixed windows, one window at a time for each id. */
export interface FixedWindows {
  /** Counts a use in the window of an id, if the limit grants it. Begins a window at `now` if the last one is over. */
  use(id: string, limit: WindowLimit, now: Date): Promise<WindowUse>;
  /** Takes a use back from the window that counted it. @returns that window afterwards; undefined if it is gone. */
  giveBack(id: string, window: FixedWindow): Promise<FixedWindow | undefined>;
}

/** The windows that all processes on one store share; null if the store serves only this process. */
export const SHARED_WINDOWS = Symbol('SharedWindows');
