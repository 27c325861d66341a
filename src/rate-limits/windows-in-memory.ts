import type {
  FixedWindow,
  FixedWindows,
  WindowLimit,
  WindowUse,
} from '../read-store/fixed-windows.js';

/** Windows of this process alone. */
export class WindowsInMemory implements FixedWindows {
  /** In the order in which they began. */
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

  /** @param last that any can end which began by now: one that ends later began before the clock was set back. */
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

  /** All windows of a process last equally long, so that those which began first end first, unless the clock went back. */
  #forgetEnded(now: Date): void {
    for (const [id, { endsAt }] of this.#windows) {
      if (endsAt > now) return;
      this.#windows.delete(id);
    }
  }
}
