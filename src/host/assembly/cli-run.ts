import { CommanderError } from 'commander';
import { errorInWords } from '../../edge/command-line/error-in-words.js';
import { deniedUserNote } from '../../edge/command-line/operator.js';
import { Program } from '../../edge/command-line/program.js';
import { containsValidKeyString } from '../../kernel/key-string.js';
import { addCommands } from './commands.js';

const DONE = 0;
const REFUSED = 1;
const WRONG_USAGE = 2;

/** Imports the service. This takes time, and help and usage errors do not need it. */
const importSession = () => import('./cli-session.js');

function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/**
 * Runs a command with the settings and the standard streams of this process (docs/cli.md).
 * @returns the exit code. A failure is reported on standard error and never thrown.
 */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Program(
    async (action, needs) => (await importSession()).withSession(action, needs),
    print,
  );
  addCommands(program, async () => (await importSession()).prepareForBackup());
  if (args.some(containsValidKeyString)) {
    process.stderr.write(
      'error: an argument contains a key string; arguments are visible to other users\n',
    );
    return WRONG_USAGE;
  }
  try {
    await program.run(args);
    return program.failed ? REFUSED : DONE;
  } catch (error) {
    // Commander has printed its own errors already. It also throws after `--help` and `--version`.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE;
    process.stderr.write(`keyledger: ${errorInWords(error)}${deniedUserNote(error)}\n`);
    return REFUSED;
  }
}
