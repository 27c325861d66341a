import { useEffect, useState } from 'preact/hooks';
import type { Answer } from './client.js';
import { type Failure, thrownFailure } from './failure.js';
import { useSession } from './session.js';
import { shared } from './shared.js';

/** The state of an answer that a page loads. While it loads again, the earlier answer stays. */
export interface Loaded<Value> {
  readonly answer?: Answer<Value> | undefined;
  readonly failure?: Failure;
  readonly isLoading: boolean;
}

const reloads = shared(0);

/** Loads everything on the page again, such as after a change. */
export function reloadAnswers(): void {
  reloads.set(reloads.get() + 1);
}

/**
 * Loads an answer, and loads it again when `of` changes, after a change or a new sign-in.
 * @param of names what is loaded. With another name the earlier answer stays until the new one.
 */
export function useAnswer<Value>(of: string, load: () => Promise<Answer<Value>>): Loaded<Value> {
  const session = useSession();
  const times = reloads.use();
  const [seen, see] = useState<Loaded<Value>>({ isLoading: true });
  useEffect(() => {
    if (session.state !== 'signed-in') return undefined;
    let isWanted = true;
    const show = (next: Loaded<Value>): void => {
      if (isWanted) see(next);
    };
    see(({ answer }) => ({ answer, isLoading: true }));
    load().then(
      (answer) => show({ answer, isLoading: false }),
      (thrown: unknown) => show({ failure: thrownFailure(thrown), isLoading: false }),
    );
    return () => {
      isWanted = false;
    };
  }, [of, times, session]);
  return seen;
}
