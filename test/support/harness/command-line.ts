import { execFile } from 'node:child_process';

/** The outcome of one run of the command line. */
export interface CommandLineResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The standard output as JSON; undefined for other output. */
  readonly json: unknown;
}

/** Runs the built `keyledger` command with settings as environment variables. */
export function keyledger(
  settings: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<CommandLineResult> {
  const env = { PATH: process.env.PATH, ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, ['dist/cli.js', ...args], { env }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0;
      resolve({ code, stdout, stderr, json: parsed(stdout) });
    });
  });
}

/** Parses a text that may be JSON. @returns undefined for other texts. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
