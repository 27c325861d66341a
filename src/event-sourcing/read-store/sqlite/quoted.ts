/** Quotes a name for SQL. The name may have all characters but quotation marks, which no name of the service has. */
export function quoted(name: string): string {
  return `"${name}"`;
}
