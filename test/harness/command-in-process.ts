import { Program } from '../../src/command-line/program.js';
import type { OperatorSession } from '../../src/command-line/operator-session.js';
import { addCommands } from '../../src/commands.js';
import { NOTHING_OPENED } from './nothing-opened.js';

/** Runs a command in this process, in a session of its suite. @returns the JSON document that it prints with `--json`. */
export async function printedBy(
  session: OperatorSession,
  args: readonly string[],
): Promise<unknown> {
  let printed = '';
  const program = new Program(
    (action) => action(session),
    (text) => (printed += text),
  );
  addCommands(program, NOTHING_OPENED);
  await program.root.parseAsync([...args, '--json'], { from: 'user' });
  return JSON.parse(printed) as unknown;
}
