import { Command, InvalidArgumentError, Option } from 'commander';
import { codePoints, isBlank, isCleanText, TEXT_MAX_LENGTH } from '../../kernel/text.js';
import { COMMIT, VERSION } from '../../kernel/version.js';
import { forPeople } from './for-people.js';
import type { OperatorSession } from './operator-session.js';
import { trackingString } from './values.js';

export interface Needs {
  /** Whether the command may create the log. Other commands refuse a data directory without a log. */
  readonly mayCreateLog?: boolean;
  /** The settings that the command uses, besides those that say where the log and the read models are. */
  readonly uses?: readonly string[];
}

/** Opens the parts of the service, runs an action and closes them. */
export type WithSession = <Result>(
  action: (session: OperatorSession) => Promise<Result>,
  needs: Needs,
) => Promise<Result>;

type Json = Readonly<Record<string, unknown>>;

/** The function of a command. It returns the result, which the program prints as JSON or for people. */
export type Action<Options, Result> = (
  session: OperatorSession,
  options: Options,
  argument: string | undefined,
) => Promise<Result>;

/** The function of a command for which the program opens no session. The function opens what it needs itself. */
export type ActionAlone<Options, Result> = (
  options: Options,
  argument: string | undefined,
) => Promise<Result>;

/** Prints a text. The promise resolves when the text is written. */
export type Print = (text: string) => unknown;

export interface Particulars<Result> extends Needs {
  /** An argument, such as `<directory>` or `[name]`, and its description. */
  readonly argument?: readonly [name: string, description: string];
  readonly people?: (result: Result) => string;
  readonly failed?: (result: Result) => boolean;
}

/** The `keyledger` program. Features add their commands. */
export class Program {
  readonly root = new Command('keyledger')
    .description('Operates Keyledger beside the running service, with the same settings.')
    .version(`${VERSION} (commit ${COMMIT})`, '-V, --version', 'print the version and the commit')
    .helpCommand(false)
    .exitOverride();

  failed = false;
  #words: readonly string[] = [];

  constructor(
    private readonly withSession: WithSession,
    private readonly print: Print,
  ) {}

  /** Runs the command that the words name. @throws CommanderError for wrong usage, and after `--help`. */
  async run(words: readonly string[]): Promise<void> {
    this.#words = words;
    await this.root.parseAsync(words, { from: 'user' });
  }

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
    particulars: Particulars<Result> = {},
  ): void {
    const inSession: ActionAlone<Options, Result> = (given, argument) =>
      this.withSession((session) => action(session, given, argument), particulars);
    this.alone(parent, name, description, options, inSession, particulars);
  }

  /** Adds a command that prints one result, and for which the program opens no session. */
  alone<Options, Result extends Json = Json>(
    parent: Command,
    name: string,
    description: string,
    options: readonly Option[],
    action: ActionAlone<Options, Result>,
    { argument, people = forPeople, failed }: Particulars<Result> = {},
  ): void {
    const command = this.#declare(parent, name, description, options, 'one JSON document');
    if (argument) command.argument(...argument);
    command.action(async () => {
      const given = command.opts<Options & { readonly json?: true }>();
      const result = await action(given, command.args[0]);
      // A closed pipe is a failure too, because the result may be a key that is shown only once.
      await this.print(given.json ? `${JSON.stringify(result)}\n` : people(result));
      this.failed = failed?.(result) ?? false;
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
      const lineOf = given.json ? JSON.stringify : people;
      await this.withSession(async (session) => {
        for await (const rows of await action(session, given, undefined)) {
          const isRead = await this.#printed(rows.map((row) => `${lineOf(row)}\n`).join(''));
          if (!isRead) return;
        }
      }, {});
    });
  }

  /** Prints a text. @returns false when the reader, such as `head`, has closed the pipe. */
  async #printed(text: string): Promise<boolean> {
    try {
      await this.print(text);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return false;
      throw error;
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
    for (const option of options) command.addOption(this.#surelyMeant(option, command));
    return command.option('--json', `print ${json} and nothing else`);
  }

  /**
   * Returns a copy of a shared option that refuses two things that commander takes: a second value, of which it uses
   * the last, and an option as a value, which is what a shell makes of `--restriction $EMPTY --json`.
   */
  #surelyMeant(shared: Option, command: Command): Option {
    const option = Object.assign(new Option(shared.flags, shared.description), shared);
    const parse = shared.parseArg;
    return option.argParser((value: string, before: unknown) => {
      if (value.startsWith('-') && this.#isWordAfter(option, value)) {
        command.error(`error: option '${option.flags}' argument missing`);
      }
      const given = command.getOptionValueSource(option.attributeName()) === 'cli';
      if (given && !Array.isArray(before)) throw new InvalidArgumentError('it is given twice.');
      return parse ? parse(value, before) : value;
    });
  }

  /** Whether a value is a word of its own after its option, and not a part of `--option=value`. */
  #isWordAfter({ long }: Option, value: string): boolean {
    return this.#words.some((word, at) => word === long && this.#words[at + 1] === value);
  }
}

/** Creates a mandatory option that accepts text of 1 to `max` characters. */
export function required(flags: string, description: string, max = TEXT_MAX_LENGTH): Option {
  return optional(flags, `${description} (required)`, max).makeOptionMandatory();
}

/** Creates a mandatory option that accepts a new id: a text of 1 to 512 characters without surrounding white space. */
export function requiredNewId(flags: string, description: string): Option {
  return new Option(flags, `${description} (required)`)
    .makeOptionMandatory()
    .argParser(trackingString);
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
