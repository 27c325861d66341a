import { execFile } from 'node:child_process';

/** Runs a command from a container file. Its `node` is the Node of this process. */
export function exitCode(
  [program, ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  if (program !== 'node') throw new Error(`expected node, not ${program}`);
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env }, () => resolve(child.exitCode ?? -1));
  });
}
