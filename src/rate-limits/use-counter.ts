import type { FixedWindow, WindowLimit } from './fixed-windows.js';
import { WindowsInMemory } from './windows-in-memory.js';

/** The result of `UseCounter.use`, with a function that takes the use back. */
export interface CountedUse {
  readonly granted: boolean;
  readonly window: FixedWindow;
  /** Takes the use back. @returns the window that counted the use; undefined if that window is over or unavailable. */
  giveBack(): Promise<FixedWindow | undefined>;
}

/** Counts uses in fixed windows. */
export interface UseCounter {
  use(id: string, limit: WindowLimit, now: Date): Promise<CountedUse>;
}

/** Counts uses in the memory of this process. */
export class CounterInMemory implements UseCounter {
  readonly #windows = new WindowsInMemory();

  async use(id: string, limit: WindowLimit, now: Date): Promise<CountedUse> {
    const use = await this.#windows.use(id, limit, now);
    return { ...use, giveBack: () => this.#windows.giveBack(id, use.window) };
  }
}
