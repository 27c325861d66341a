/** `beforeAll` or `beforeEach`. */
type Hook = (before: () => Promise<void>) => void;

/** Gives an object that a hook makes, with a name that a suite can use before it is made. */
export function madeBy<T extends object>(hook: Hook, make: () => Promise<T>): T {
  let made: T | undefined;
  hook(async () => {
    made = await make();
  });
  return new Proxy({} as T, {
    get(_, name): unknown {
      if (!made) throw new Error('what a hook makes is there only while its tests run');
      return Reflect.get(made, name);
    },
  });
}
