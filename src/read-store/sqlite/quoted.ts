/** Quotes a name for SQL, whatever characters it has. The names of this service contain no quotation marks. */
export function quoted(name: string): string {
  return `"${name}"`;
}
