import { execFile } from 'node:child_process';
import { read } from './markdown.js';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Gives the shell commands of a runbook in order: each fenced block, also within a list. */
export function commandsOf(runbook: string): string[] {
  const blocks = read(`docs/operations/runbooks/${runbook}.md`).matchAll(
    /^ *```sh\n([^]*?)^ *```$/gm,
  );
  return [...blocks].map(([, text = '']) => text.trim());
}

/** Runs a command of a runbook in a shell that ends at the first command that fails. */
export function run(command: string, environment: Readonly<Record<string, string>>): Promise<Ran> {
  const env = { PATH: process.env.PATH, ...environment };
  return new Promise((resolve) => {
    execFile('sh', ['-e', '-c', command], { env }, (error, stdout, stderr) => {
      resolve({
        code: typeof error?.code === 'number' ? error.code : error ? -1 : 0,
        stdout,
        stderr,
      });
    });
  });
}
