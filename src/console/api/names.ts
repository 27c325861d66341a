import { useEffect, useState } from 'preact/hooks';

/** How many names are looked up at the same time. */
const AT_ONCE = 8;

/** The names that were looked up, by the ids of their things; null for what was deleted. */
export const knownNames = new Map<string, string | null>();

const asked = new Map<string, Promise<void>>();
const waiting: (() => void)[] = [];
let running = 0;

type Find = (id: string) => Promise<string | null>;

async function lookUp(id: string, find: Find): Promise<void> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    knownNames.set(id, await find(id));
  } finally {
    running -= 1;
    asked.delete(id);
    waiting.shift()?.();
  }
}

/**
 * Looks up a name for the rows on the screen: few at a time, and each once.
 * @param find finds the name. When it throws, the name is looked up again for the next row.
 * @returns undefined while the name is not known
 */
export function useName(id: string | null, find: Find): string | null | undefined {
  const [, setTimes] = useState(0);
  useEffect(() => {
    if (id === null || knownNames.has(id)) return;
    const asking = asked.get(id) ?? lookUp(id, find);
    asked.set(id, asking);
    asking.then(
      () => setTimes((times) => times + 1),
      () => undefined,
    );
  }, [id]);
  return id === null ? undefined : knownNames.get(id);
}
