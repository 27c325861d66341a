/** A name as SQL takes it, whatever characters it has. Ours hold no quotation marks. */
export function quoted(name: string): string {
  return `"${name}"`;
}
