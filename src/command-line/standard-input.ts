/**
 * Reads a secret of one line from standard input, because other users can see arguments. The secret does not include
 * the end of the line.
 * @param maxLength the maximum length of the line with its end, in UTF-16 units.
 * @returns the secret; undefined for no line, several lines and a line that is too long.
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
