import { Command, InvalidArgumentError, Option } from 'commander';
import { messageOf } from '../kernel/errors.js';
import { codePoints, isBlank, isCleanText, TEXT_MAX_LENGTH } from '../kernel/text.js';
import { VERSION } from '../version.js';
import { forPeople } from './for-people.js';
import { withRequiredMarked } from './help.js';
import { documentOf, type Listed, tablesOf } from './listed.js';
import type { OperatorSession } from './operator-session.js';
import { trackingString } from './values.js';

/**
 * The purpose of a command. `changes` needs an existing log; `begins` may create it; `examines` may work on a copy.
 */
export type Purpose = 'changes' | 'begins' | 'examines';

/** Opens the parts of the service, runs an action and closes them. */
export type WithSession = <Result>(
  action: (session: OperatorSession) => Promise<Result>,
  purpose: Purpose,
) => Promise<Result>;

type Json = Readonly<Record<string, unknown>>;

/** The function of a command. It returns the result, which the program prints as JSON or for people. */
export type Action<Options, Result> = (
  session: OperatorSession,
  options: Options,
  names: readonly string[],
) => Promise<Result>;

/** The function of a command for which the program opens no session. The function opens what it needs itself. */
export type ActionAlone<Options, Result> = (
  options: Options,
  names: readonly string[],
) => Promise<Result>;

/** Prints a text. The promise resolves when the text is written. */
export type Print = (text: string) => unknown;

/** The optional parts of a command. */
export interface Particulars<Options, Result> {
  /** The description of the command's arguments. Absent if the command accepts none. */
  readonly names?: string;
  /** A mandatory argument, such as `<directory>`, and its description. */
  readonly argument?: readonly [name: string, description: string];
  /** Formats the result for people. */
  readonly people?: (result: Result) => string;
  /** Whether a printed result means a failure. */
  readonly failed?: (result: Result) => boolean;
  /** Returns the message for a result that cannot be printed: what is lost, and what to do. */
  readonly unprinted?: (result: Result, options: Options) => string;
  /** The purpose of the command. Default: `changes`. */
  readonly purpose?: Purpose;
}

/** The `keyledger` program. Features add their commands. */
export class Program {
  readonly root = new Command('keyledger')
    .description('Operates Keyledger beside the running service, with the same settings.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpCommand(false)
    .exitOverride();

  /** Whether the printed result means a failure. */
  failed = false;

  constructor(
    private readonly withSession: WithSession,
    private readonly print: Print,
  ) {
    withRequiredMarked(this.root);
  }

  /** Adds a command that groups other commands. */
  group(name: string, description: string, parent: Command = this.root): Command {
    return parent.command(name).description(description).helpCommand(false);
  }

  /** Adds a command that prints one result. */
  command<Options, Result extends Json = Json>(
    parent: Command,
    name: string,
    description: string,
    options: readonly Option[],
    action: Action<Options, Result>,
    particulars: Particulars<Options, Result> = {},
  ): void {
    const { purpose = 'changes' } = particulars;
    const inSession: ActionAlone<Options, Result> = (given, names) =>
      this.withSession((session) => action(session, given, names), purpose);
    this.alone(parent, name, description, options, inSession, particulars);
  }

  /** Adds a command that prints one result, and for which the program opens no session. */
  alone<Options, Result extends Json = Json>(
    parent: Command,
    name: string,
    description: string,
    options: readonly Option[],
    action: ActionAlone<Options, Result>,
    particulars: Particulars<Options, Result> = {},
  ): void {
    const { names, argument, people = forPeople, failed, unprinted } = particulars;
    const command = this.#declare(parent, name, description, options, 'one JSON document');
    if (names !== undefined) command.argument('[names...]', names);
    if (argument) command.argument(...argument);
    command.action(async () => {
      const given = command.opts<Options & { readonly json?: true }>();
      const result = await action(given, command.args);
      const text = given.json ? `${JSON.stringify(result)}\n` : people(result);
      if (unprinted) await this.#printSurely(text, () => unprinted(result, given));
      else await this.#print([text]);
      this.failed = failed?.(result) ?? false;
    });
  }

  /** Adds a command that prints a list of any length. @param fields the columns of the table for people. */
  list<Options, Row extends object>(
    parent: Command,
    name: string,
    description: string,
    options: readonly Option[],
    action: Action<Options, Listed<Row>>,
    fields: readonly (keyof Row & string)[],
  ): void {
    const command = this.#declare(parent, name, description, options, 'one JSON document');
    command.action(async () => {
      const given = command.opts<Options & { readonly json?: true }>();
      await this.withSession(async (session) => {
        const listed = await action(session, given, command.args);
        await this.#print(given.json ? documentOf(listed) : tablesOf(listed, fields));
        const more = listed.total - listed.limit;
        if (more > 0 && !given.json) process.stderr.write(`${more} more\n`);
      }, 'examines');
    });
  }

  /** Adds a command that prints any number of records, one line for each. With `--json`, each line is JSON. */
  lines<Options, Row extends object>(
    parent: Command,
    name: string,
    description: string,
    options: readonly Option[],
    action: Action<Options, AsyncIterable<readonly Row[]>>,
    people: (row: Row) => string,
  ): void {
    const command = this.#declare(parent, name, description, options, 'a JSON document a line');
    command.action(async () => {
      const given = command.opts<Options & { readonly json?: true }>();
      await this.withSession(async (session) => {
        const chunks = await action(session, given, command.args);
        await this.#print(linesOf(chunks, given.json ? JSON.stringify : people));
      }, 'examines');
    });
  }

  /** Prints a result that exists nowhere else, so a closed pipe is a failure too. */
  async #printSurely(text: string, unprinted: () => string): Promise<void> {
    try {
      await this.print(text);
    } catch (error) {
      throw new Error(`${messageOf(error)}\n${unprinted()}`, { cause: error });
    }
  }

  async #print(texts: Iterable<string> | AsyncIterable<string>): Promise<void> {
    try {
      for await (const text of texts) await this.print(text);
    } catch (error) {
      // A reader such as `head` may close the pipe early.
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    }
  }

  #declare(
    parent: Command,
    name: string,
    description: string,
    options: readonly Option[],
    json: string,
  ): Command {
    const command = parent.command(name).description(description).allowExcessArguments(false);
    for (const option of options) command.addOption(once(option, command));
    return command.option('--json', `print ${json} and nothing else`);
  }
}

async function* linesOf<Row>(
  chunks: AsyncIterable<readonly Row[]>,
  lineOf: (row: Row) => string,
): AsyncIterable<string> {
  for await (const chunk of chunks) yield chunk.map((row) => `${lineOf(row)}\n`).join('');
}

/** Returns a copy of a shared option that refuses a second value. Commander would silently use the last value. */
function once(shared: Option, command: Command): Option {
  const option = Object.assign(new Option(shared.flags, shared.description), shared);
  const parse = shared.parseArg;
  return option.argParser((value: string, before: unknown) => {
    const given = command.getOptionValueSource(option.attributeName()) === 'cli';
    if (given && !Array.isArray(before)) throw new InvalidArgumentError('it is given twice.');
    return parse ? parse(value, before) : value;
  });
}

/** Creates a mandatory option that accepts text of 1 to `max` characters. */
export function required(flags: string, description: string, max = TEXT_MAX_LENGTH): Option {
  return optional(flags, description, max).makeOptionMandatory();
}

/** Creates a mandatory option that accepts a new id: a text of 1 to 512 characters without surrounding white space. */
export function requiredNewId(flags: string, description: string): Option {
  return new Option(flags, description).makeOptionMandatory().argParser(trackingString);
}

/** Creates an option that accepts text of 1 to `max` characters. */
export function optional(flags: string, description: string, max = TEXT_MAX_LENGTH): Option {
  return new Option(flags, description).argParser((value) => text(value, max));
}

/** Creates an option that may be given up to `most` times, each time with text of 1 to `max` characters. */
export function repeatable(
  flags: string,
  description: string,
  { most, max }: { readonly most: number; readonly max: number },
): Option {
  return new Option(flags, description).argParser((value: string, before?: string[]) => {
    const all = [...(before ?? []), text(value, max)];
    if (all.length > most) throw new InvalidArgumentError(`at most ${most} may be given.`);
    return all;
  });
}

function text(value: string, max: number): string {
  if (isCleanText(value) && !isBlank(value) && codePoints(value) <= max) return value;
  throw new InvalidArgumentError(`takes text of 1 to ${max} characters.`);
}
