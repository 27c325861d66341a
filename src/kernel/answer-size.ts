/** The maximum size of a page of the audit trail (docs/api.md 1.8). */
export const MOST_ANSWER_BYTES = 2 * 1024 * 1024;

/** Returns the exact size of a value as JSON in UTF-8, in bytes. `sizeOf` only estimates, and is much cheaper. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
