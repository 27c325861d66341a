import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseCurl } from './curl-request.js';

const run = promisify(execFile);

/**
 * Runs a curl line like a shell with some variables, and gives the body of the answer. Without curl
 * it parses the line and sends the same request.
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
    const { method, url, headers, body } = parseCurl(line.trim(), variables);
    const response = await fetch(url, { method, headers, body: body ?? null });
    return response.text();
  }
}
