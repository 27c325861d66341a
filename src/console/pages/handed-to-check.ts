let handed: string | null = null;

/** Keeps a key string for the page that checks it. It is in no address and in no storage. */
export function handToCheck(text: string): void {
  handed = text;
}

/** Returns the key string that was handed over, once. */
export function takeHanded(): string {
  const text = handed ?? '';
  handed = null;
  return text;
}
