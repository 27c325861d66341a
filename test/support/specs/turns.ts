/** Counts the turns of the event loop until `stop`. */
export function countTurns(): { readonly passed: () => number; readonly stop: () => void } {
  let passed = 0;
  let next = setImmediate(count);
  function count(): void {
    passed += 1;
    next = setImmediate(count);
  }
  return { passed: () => passed, stop: () => clearImmediate(next) };
}
