/** How many bytes a page of the audit trail has at most (docs/api.md 1.8). */
export const MOST_ANSWER_BYTES = 2 * 1024 * 1024;

/** The bytes of a value as JSON in UTF-8, exactly; `sizeOf` is rougher, and much cheaper. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
