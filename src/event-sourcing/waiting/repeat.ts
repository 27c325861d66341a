/**
 * Calls `work` again and again, after the call before has ended. Its errors count as no answer.
 * @returns a function that ends this. Its promise resolves when no call is under way any more.
 */
export function repeat(everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let working: Promise<void> | undefined;
  const timer = setInterval(() => {
    working ??= work()
      .catch(() => undefined)
      .finally(() => (working = undefined));
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await working;
  };
}
