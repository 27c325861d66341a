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
  return keyledgerThrough([], settings, ...args);
}

/** Runs `keyledger` with a text on its standard input. */
export function keyledgerReading(
  input: string,
  settings: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<CommandLineResult> {
  return run([], settings, args, input);
}

/** Runs `keyledger` through another command. @param wrapper that command, with its arguments. */
export function keyledgerThrough(
  wrapper: readonly string[],
  settings: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<CommandLineResult> {
  return run(wrapper, settings, args, '');
}

function run(
  wrapper: readonly string[],
  settings: Readonly<Record<string, string>>,
  args: readonly string[],
  input: string,
): Promise<CommandLineResult> {
  const env = { PATH: process.env.PATH, ...settings };
  const [program = '', ...rest] = [...wrapper, process.execPath, 'dist/cli.js', ...args];
  return new Promise((resolve) => {
    const child = execFile(program, rest, { env }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0;
      resolve({ code, stdout, stderr, json: parsed(stdout) });
    });
    // A command that reads no input may have ended already.
    child.stdin?.on('error', () => undefined).end(input);
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
