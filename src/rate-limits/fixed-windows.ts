/** A window of a rate limit: it begins with its first use and has a fixed length. */
export interface FixedWindow {
  readonly used: number;
  /** By the clock of whoever began it. */
  readonly endsAt: Date;
}

export interface WindowLimit {
  readonly count: number;
  readonly seconds: number;
}

/** What came of asking for a use. One that is not granted was not counted. */
export interface WindowUse {
  readonly granted: boolean;
  readonly window: FixedWindow;
}

/** Counts uses in fixed windows, one window at a time for each id. */
export interface FixedWindows {
  /** Takes a use of the window that `now` is in, which begins with it when the last one is over. */
  use(id: string, limit: WindowLimit, now: Date): Promise<WindowUse>;
  /** Takes a use back, of its own window only. @returns the window after that; undefined when it is gone. */
  giveBack(id: string, window: FixedWindow): Promise<FixedWindow | undefined>;
}

/** The windows that all processes on one store share; null where a process has its store to itself. */
export const SHARED_WINDOWS = Symbol('SharedWindows');
