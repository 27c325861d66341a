import { answered, api, type Schemas, whenKeyIsLost } from './client.js';
import { Failure, thrownFailure } from './failure.js';
import { idleKey } from './idle-key.js';
import { knownNames } from './names.js';
import { shared } from './shared.js';

export type CurrentKey = Schemas['CurrentKey'];

/** The state of the sign-in. If the key is lost, the pages that are open stay, but are hidden. */
export type Session =
  | { readonly state: 'signed-out'; readonly failure?: Failure | undefined }
  | { readonly state: 'signing-in' }
  | { readonly state: 'signed-in'; readonly who: CurrentKey }
  | { readonly state: 'lost'; readonly who: CurrentKey; readonly failure: Failure };

const CHECK_EVERY_MS = 1_000;
const TOUCHES = ['pointerdown', 'keydown', 'wheel', 'click'];
const IDLE = 'Nobody used this page for 15 minutes, so its key was forgotten.';

const session = shared<Session>({ state: 'signed-out' });

/** Returns the session, and draws the component again when it changes. */
export const useSession = session.use;

/**
 * Signs in with a key. A failure is shown by the page to sign in. The key stays for a repeat,
 * unless it was refused.
 */
export async function signIn(key: string): Promise<void> {
  const before = session.get();
  const isAgain = before.state === 'lost';
  if (!isAgain) session.set({ state: 'signing-in' });
  try {
    idleKey.forget();
    if (!/^[\x21-\x7e]+$/.test(key)) throw new Failure('A key consists of printable ASCII.');
    idleKey.keep(key);
    const { value } = await answered(api.GET('/v1/key'));
    session.set({ state: 'signed-in', who: value.data });
  } catch (thrown) {
    const failure = thrownFailure(thrown);
    if (failure.details.status === 401) idleKey.forget();
    session.set(isAgain ? { ...before, failure } : { state: 'signed-out', failure });
  }
}

/** Forgets the key and everything on the page. */
export function signOut(): void {
  idleKey.forget();
  knownNames.clear();
  session.set({ state: 'signed-out' });
}

/** Forgets the key, and keeps the pages for whoever signs in with the same key again. */
function loseKey(failure: Failure): void {
  idleKey.forget();
  const before = session.get();
  if (before.state === 'signed-in') session.set({ state: 'lost', who: before.who, failure });
}

/** Continues the session of a page that was loaded again, and watches the clock. */
export function startSession(): void {
  whenKeyIsLost(loseKey);
  const checkClock = (): void => {
    if (idleKey.read() === null) loseKey(new Failure(IDLE));
  };
  const touch = (): void => {
    checkClock();
    idleKey.touch();
  };
  for (const type of TOUCHES) {
    document.addEventListener(type, touch, { capture: true, passive: true });
  }
  // Timers stand still while the machine sleeps, so the clock is asked when the page is seen again.
  document.addEventListener('visibilitychange', checkClock);
  setInterval(checkClock, CHECK_EVERY_MS);
  const kept = idleKey.read();
  if (kept === null) idleKey.forget();
  else void signIn(kept);
}
