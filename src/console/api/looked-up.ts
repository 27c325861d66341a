import { useEffect, useState } from 'preact/hooks';

/** How many things are looked up at the same time. */
const AT_ONCE = 8;

const everything = new Set<Map<string, unknown>>();

/** Forgets what was looked up, such as at the end of a session. */
export function forgetLookedUp(): void {
  for (const known of everything) known.clear();
}

/** Looks things up by their ids for the rows on the screen: few at a time, and each once. */
export interface LookUp<Value> {
  readonly known: Map<string, Value>;
  readonly ask: (id: string) => Promise<void>;
}

/** @param find finds a thing. When it throws, the thing is looked up again for the next row. */
export function lookUp<Value>(find: (id: string) => Promise<Value>): LookUp<Value> {
  const known = new Map<string, Value>();
  const asked = new Map<string, Promise<void>>();
  const waiting: (() => void)[] = [];
  let running = 0;
  everything.add(known);

  async function run(id: string): Promise<void> {
    if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      known.set(id, await find(id));
    } finally {
      running -= 1;
      asked.delete(id);
      waiting.shift()?.();
    }
  }

  return {
    known,
    ask(id) {
      const before = asked.get(id) ?? run(id);
      asked.set(id, before);
      return before;
    },
  };
}

/** Returns what was looked up by an id; undefined while it is not known. */
export function useLookedUp<Value>(from: LookUp<Value>, id: string | null): Value | undefined {
  const [, setTimes] = useState(0);
  const value = id === null ? undefined : from.known.get(id);
  useEffect(() => {
    if (id === null || from.known.has(id)) return undefined;
    let isShown = true;
    from.ask(id).then(
      () => isShown && setTimes((times) => times + 1),
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [from, id]);
  return value;
}
