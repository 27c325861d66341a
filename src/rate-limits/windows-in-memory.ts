import type { FixedWindow, FixedWindows, WindowLimit, WindowUse } from './fixed-windows.js';

/** Fixed windows in the memory of this process. */
export class WindowsInMemory implements FixedWindows {
  /** The windows in the order in which they began. */
  readonly #windows = new Map<string, FixedWindow>();

  async use(id: string, { count, seconds }: WindowLimit, now: Date): Promise<WindowUse> {
    this.#forgetEnded(now);
    const endsAt = new Date(now.getTime() + seconds * 1_000);
    const window = this.#begun(id, now, endsAt) ?? { used: 0, endsAt };
    if (window.used >= count) return { granted: false, window };
    return { granted: true, window: this.#keep(id, window.used + 1, window.endsAt) };
  }

  async giveBack(id: string, { endsAt }: FixedWindow): Promise<FixedWindow | undefined> {
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
