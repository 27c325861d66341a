import { useEffect, useState } from 'preact/hooks';
import type { Answer } from './client.js';
import { type Failure, thrownFailure } from './failure.js';
import { useSession } from './session.js';
import { shared } from './shared.js';

/**
 * The state of an answer that a page loads. While it loads again, the earlier answer stays, and
 * also when that fails: a form that is open in front of it keeps what was typed.
 */
export interface Loaded<Value> {
  readonly answer?: Answer<Value> | undefined;
  readonly failure?: Failure;
  readonly isLoading: boolean;
}

interface Seen<Value> extends Loaded<Value> {
  /** The name under which the answer was loaded. */
  readonly of?: string;
}

const reloads = shared(0);

/** Loads everything on the page again, such as after a change. */
export function reloadAnswers(): void {
  reloads.set(reloads.get() + 1);
}

/**
 * Loads an answer, and loads it again when `of` changes, after a change or a new sign-in.
 * @param of names what is loaded. With another name the earlier answer stays until the new one, or
 * until that fails.
 */
export function useAnswer<Value>(of: string, load: () => Promise<Answer<Value>>): Loaded<Value> {
  const session = useSession();
  const times = reloads.use();
  const [seen, see] = useState<Seen<Value>>({ isLoading: true });
  useEffect(() => {
    if (session.state !== 'signed-in') return undefined;
    let isWanted = true;
    const show = (next: (before: Seen<Value>) => Seen<Value>): void => {
      if (isWanted) see(next);
    };
    show(({ failure: _, ...before }) => ({ ...before, isLoading: true }));
    load().then(
      (answer) => show(() => ({ of, answer, isLoading: false })),
      (thrown: unknown) => {
        const failure = thrownFailure(thrown);
        show((before) => ({ ...(before.of === of && before), failure, isLoading: false }));
      },
    );
    return () => {
      isWanted = false;
    };
  }, [of, times, session]);
  return seen;
}
