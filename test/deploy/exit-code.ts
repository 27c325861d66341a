import { execFile } from 'node:child_process';

/** Runs a command that stands in a file for containers, its `node` being the one of this process. */
export function exitCode(
  [program, ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  if (program !== 'node') throw new Error(`expected node, not ${program}`);
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env }, () => resolve(child.exitCode ?? -1));
  });
}
