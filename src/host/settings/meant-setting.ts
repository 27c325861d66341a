/** Returns the setting that a variable was probably meant to be: one that differs in a letter or in a word. */
export function meantSetting(variable: string, settings: readonly string[]): string | undefined {
  return settings.find(
    (setting) =>
      differInOne(Array.from(variable), Array.from(setting)) ||
      differInOneWord(variable.split('_'), setting.split('_')),
  );
}

/** Names that only end alike, such as REDIS_PORT, or of two words, such as LOG_FORMAT, belong to other programs. */
function differInOneWord(
  [first = '', ...rest]: readonly string[],
  [other = '', ...others]: readonly string[],
): boolean {
  if (first === other) return others.length > 1 && differInOne(rest, others);
  const areAlike = first.startsWith(other) || other.startsWith(first);
  return areAlike && others.length > 0 && rest.join() === others.join();
}

/** Whether two lists are the same but for one element that is another one, or that only one of them has. */
function differInOne(some: readonly string[], others: readonly string[]): boolean {
  return [...some, ''].some((_, at) => {
    const [one, other] = [some, others].map((all) => all.toSpliced(at, 1).join());
    return one === other || one === others.join() || some.join() === other;
  });
}
