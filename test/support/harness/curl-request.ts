/** A request that a curl command line describes. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/**
 * Reads a curl command line like a shell, with the few options that the documents use.
 * @param variables the values of shell variables.
 * @throws for another option or an unknown variable.
 */
export function parseCurl(
  command: string,
  variables: Readonly<Record<string, string>>,
): CurlRequest {
  const [program, ...words] = shellWords(command, variables);
  if (program !== 'curl') throw new Error(`not a curl command: ${command}`);
  let method = 'GET';
  let url = '';
  let body: string | undefined;
  const headers: Record<string, string> = {};
  const rest = words.values();
  const argument = (): string => rest.next().value ?? '';
  for (const word of rest) {
    if (word === '-s') continue;
    if (word === '-X') method = argument();
    else if (word === '-d') body = argument();
    else if (word === '-H') {
      const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(argument()) ?? [];
      headers[name] = value;
    } else if (word.startsWith('-')) throw new Error(`curl option ${word} is not known here`);
    else url = word;
  }
  return { method, url, headers, body };
}

function shellWords(command: string, variables: Readonly<Record<string, string>>): string[] {
  const words = command.replaceAll('\\\n', ' ').match(/'[^']*'|"(?:[^"\\]|\\.)*"|[^\s'"]+/g) ?? [];
  return words.map((word) => {
    if (word.startsWith("'")) return word.slice(1, -1);
    const text = word.replace(/^"|"$/g, '').replaceAll('\\"', '"');
    return text.replaceAll(/\$(\w+)/g, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`the variable ${name} is not set`);
      return value;
    });
  });
}
