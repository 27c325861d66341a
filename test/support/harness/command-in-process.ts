import 'reflect-metadata';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { run } from '../../../src/host/assembly/cli-run.js';
import { Program } from '../../../src/edge/command-line/program.js';
import type { OperatorSession } from '../../../src/edge/command-line/operator-session.js';
import { addCommands } from '../../../src/host/assembly/commands.js';
import { type CommandLineResult, parsed } from './command-line.js';

type Settings = Readonly<Record<string, string>>;

/** The previous command. A process runs one at a time. */
let before: Promise<unknown> = Promise.resolve();

/**
 * Runs `keyledger` like `keyledger()`, but in the process of the suite, which is several times as
 * fast. It serves suites about the effects of a command, not about its process. Concurrent commands
 * take turns. A suite about users must start processes, because a command of root switches to the
 * user of its data directory for good.
 */
export function keyledgerHere(
  settings: Settings,
  ...args: readonly string[]
): Promise<CommandLineResult> {
  const result = before.then(() => runHere(settings, args));
  before = result.catch(() => undefined);
  return result;
}

async function runHere(settings: Settings, args: readonly string[]): Promise<CommandLineResult> {
  const stdout = new Kept();
  const stderr = new Kept();
  const env = { PATH: process.env.PATH, ...settings };
  const restore = replaced({ env, stdout, stderr });
  try {
    const code = await run(args);
    return { code, stdout: stdout.text, stderr: stderr.text, json: parsed(stdout.text) };
  } finally {
    restore();
  }
}

/**
 * Replaces parts of `process`, which each suite has to itself. @returns a function that restores
 * the originals.
 */
function replaced(parts: Readonly<Record<string, unknown>>): () => void {
  const former = Object.keys(parts).map(
    (name) => [name, Object.getOwnPropertyDescriptor(process, name) ?? {}] as const,
  );
  for (const [name, value] of Object.entries(parts)) {
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true });
  }
  return () => {
    for (const [name, descriptor] of former) Object.defineProperty(process, name, descriptor);
  };
}

/** Collects the output. */
class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/**
 * Runs a command in this process, in a session of its suite. @returns the JSON document that it
 * prints with `--json`.
 */
export async function printedBy(
  session: OperatorSession,
  args: readonly string[],
): Promise<unknown> {
  let printed = '';
  const program = programOf(
    (action) => action(session),
    (text) => (printed += text),
  );
  await program.run([...args, '--json']);
  return JSON.parse(printed) as unknown;
}

/** Gives every command and every group of commands, each by its words. */
export function everyCommand(): (readonly [words: string, command: Command])[] {
  const unused = programOf(
    () => Promise.reject(new Error('nothing is run here')),
    () => undefined,
  );
  const below = (command: Command, path: readonly string[]): ReturnType<typeof everyCommand> => [
    [path.join(' '), command],
    ...command.commands.flatMap((child) => below(child, [...path, child.name()])),
  ];
  return below(unused.root, []);
}

function programOf(...wiring: ConstructorParameters<typeof Program>): Program {
  const program = new Program(...wiring);
  addCommands(program, () => Promise.reject(new Error('nothing is copied here')));
  return program;
}
