import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Answer } from './client.js';
import { type Failure, thrownFailure } from './failure.js';
import { useSession } from './session.js';

/** The state of an answer that a page loads. While it loads again, the earlier answer stays. */
export interface Loaded<Value> {
  readonly answer?: Answer<Value>;
  readonly failure?: Failure;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

type Seen<Value> = Omit<Loaded<Value>, 'reload'>;

/**
 * Loads an answer, and loads it again when `of` changes or somebody signs in again.
 * @param of names what is loaded. With another name the earlier answer stays until the new one.
 */
export function useAnswer<Value>(
  of: string,
  load: (signal: AbortSignal) => Promise<Answer<Value>>,
): Loaded<Value> {
  const session = useSession();
  const since = session.state === 'signed-in' ? session.since : 0;
  const [seen, see] = useState<Seen<Value>>({ isLoading: true });
  const [times, setTimes] = useState(0);
  useEffect(() => {
    if (since === 0) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    see(({ answer }) => ({ ...(answer && { answer }), isLoading: true }));
    load(signal).then(
      (answer) => {
        if (!signal.aborted) see({ answer, isLoading: false });
      },
      (thrown: unknown) => {
        const failure = thrownFailure(thrown);
        if (!signal.aborted) see({ failure, isLoading: false });
      },
    );
    return () => controller.abort();
  }, [of, times, since]);
  const reload = useCallback(() => setTimes((before) => before + 1), []);
  return { ...seen, reload };
}
