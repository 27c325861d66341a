import type { FixedWindow, WindowLimit } from '../read-store/fixed-windows.js';
import { WindowsInMemory } from './windows-in-memory.js';

/** A use, granted or not, that knows where it was counted. */
export interface CountedUse {
  readonly granted: boolean;
  readonly window: FixedWindow;
  /** @returns the window after that; undefined when it is gone or cannot be reached. */
  giveBack(): Promise<FixedWindow | undefined>;
}

/** Counts uses in fixed windows, wherever they are kept. */
export interface UseCounter {
  use(id: string, limit: WindowLimit, now: Date): Promise<CountedUse>;
}

/** Counts in the memory of this process alone. */
export class CounterInMemory implements UseCounter {
  readonly #windows = new WindowsInMemory();

  async use(id: string, limit: WindowLimit, now: Date): Promise<CountedUse> {
    const use = await this.#windows.use(id, limit, now);
    return { ...use, giveBack: () => this.#windows.giveBack(id, use.window) };
  }
}
