const LEAST_DIFFERENT = 8;

/** Whether a key is easy to guess: it has few different characters, or is one piece repeated. */
export function isGuessable(key: string): boolean {
  return new Set(key).size < LEAST_DIFFERENT || isRepeated(key);
}

/** Whether a string repeats one piece. The last repetition may be cut off. */
function isRepeated(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length += 1) {
    if (text.startsWith(text.slice(length))) return true;
  }
  return false;
}
