/** How long the console keeps a management key that nobody uses, by the clock. */
const MOST_IDLE_MS = 15 * 60 * 1_000;

const KEY = 'keyledger-key';
const TOUCHED_AT = 'keyledger-touched-at';

/**
 * The management key of this tab. It is kept in the session storage and nowhere else: other tabs,
 * other sites and the next start of the browser do not have it.
 */
export const idleKey = {
  keep(key: string): void {
    sessionStorage.setItem(KEY, key);
    sessionStorage.setItem(TOUCHED_AT, String(Date.now()));
  },

  forget(): void {
    sessionStorage.removeItem(KEY);
    sessionStorage.removeItem(TOUCHED_AT);
  },

  /** Begins the 15 minutes again. A key whose time is over stays without use. */
  touch(): void {
    if (idleKey.read() !== null) sessionStorage.setItem(TOUCHED_AT, String(Date.now()));
  },

  /** Returns the key; null without one, or when nobody touched the page for too long. */
  read(): string | null {
    const idleMs = Date.now() - Number(sessionStorage.getItem(TOUCHED_AT) ?? 0);
    // A clock that was set back must not make a key live longer.
    return idleMs >= 0 && idleMs < MOST_IDLE_MS ? sessionStorage.getItem(KEY) : null;
  },
};
