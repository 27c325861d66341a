/**
 * Reads a secret that is one line from standard input, as arguments can be seen by others. The end of the line is no part
 * of it.
 * @param maxLength of the line with its end, in UTF-16 units.
 * @returns undefined for no line, several lines and one that is too long.
 */
export async function lineOnStandardInput(maxLength: number): Promise<string | undefined> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > maxLength) return undefined;
  }
  const line = text.replace(/[\r\n]+$/, '');
  return line === '' || /[\r\n]/.test(line) ? undefined : line;
}
