import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Runs a curl line like a shell with some variables, and gives the body of the answer. Without curl it parses the line and
 * sends the same request.
 */
export async function runCurlLine(
  line: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    return (await run('sh', ['-c', line], { env: { ...process.env, ...variables } })).stdout;
  } catch (error) {
    const NOT_FOUND = 127;
    if (!(error instanceof Error && 'code' in error && error.code === NOT_FOUND)) throw error;
    return send(line.replace(/\$(\w+)/g, (_, name: string) => variables[name] ?? ''));
  }
}

async function send(line: string): Promise<string> {
  const words = [...line.matchAll(/(['"])(.*?)\1|(\S+)/g)].map(
    ([, , quoted, plain]) => quoted ?? plain,
  );
  const after = (flag: string): string[] =>
    words.flatMap((word, index) => (words[index - 1] === flag && word !== undefined ? [word] : []));
  const headers = after('-H').map((header): [string, string] => {
    const colon = header.indexOf(':');
    return [header.slice(0, colon), header.slice(colon + 1).trim()];
  });
  const url = words.find((word) => word?.startsWith('http')) ?? '';
  const [method = 'GET'] = after('-X');
  const response = await fetch(url, { method, headers, body: after('-d').join('') });
  return response.text();
}
