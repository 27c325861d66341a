/** Returns the setting that a variable probably means: one that differs in a letter or a word. */
export function suggestedSetting(
  variable: string,
  settings: readonly string[],
): string | undefined {
  return settings.find(
    (setting) =>
      differInOne(Array.from(variable), Array.from(setting)) ||
      differInOneWord(variable.split('_'), setting.split('_')),
  );
}

/** Names with only the same end (REDIS_PORT) or of two words (LOG_FORMAT) are of other programs. */
function differInOneWord(
  [first = '', ...rest]: readonly string[],
  [other = '', ...others]: readonly string[],
): boolean {
  if (first === other) return others.length > 1 && differInOne(rest, others);
  const areAlike = first.startsWith(other) || other.startsWith(first);
  return areAlike && others.length > 0 && rest.join() === others.join();
}

/** Whether two lists differ in one element only, which another replaces or one of them lacks. */
function differInOne(some: readonly string[], others: readonly string[]): boolean {
  if (Math.abs(some.length - others.length) > 1) return false;
  return [...some, ''].some((_, at) => {
    const [one, other] = [some, others].map((all) => all.toSpliced(at, 1).join());
    return one === other || one === others.join() || some.join() === other;
  });
}
