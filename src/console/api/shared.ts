import { useEffect, useState } from 'preact/hooks';

/** A value that components share. Those that use it are drawn again when it changes. */
export interface Shared<Value> {
  readonly get: () => Value;
  readonly set: (next: Value) => void;
  /** A hook that returns the value. */
  readonly use: () => Value;
}

export function shared<Value>(first: Value): Shared<Value> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    use() {
      const [seen, see] = useState(() => value);
      useEffect(() => {
        const listener = (): void => see(() => value);
        listener();
        listeners.add(listener);
        return () => listeners.delete(listener);
      }, []);
      return seen;
    },
  };
}
