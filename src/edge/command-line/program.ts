import { Command, InvalidArgumentError, Option } from 'commander';
import { COMMIT, VERSION } from '../../kernel/version.js';
import { readableResult } from './readable-result.js';
import type { OperatorSession } from './operator-session.js';

export interface Needs {
  /** Whether the command may create the log. Others refuse a data directory without a log. */
  readonly mayCreateLog?: boolean;
  /** The settings that the command uses, besides the places of the log and the read models. */
  readonly uses?: readonly string[];
}

export type WithSession = <Result>(
  action: (session: OperatorSession) => Promise<Result>,
  needs: Needs,
) => Promise<Result>;

type Json = Readonly<Record<string, unknown>>;

/** Prints a text. The promise resolves when the text is written. */
export type Print = (text: string) => unknown;

interface Declaration {
  readonly name: string;
  readonly description: string;
  readonly options?: readonly Option[];
}

/** A command that prints one result, as JSON or for people. */
interface OneResult<Result> extends Declaration {
  /** An argument, such as `<directory>` or `[name]`, and its description. */
  readonly argument?: readonly [name: string, description: string];
  readonly readable?: (result: Result) => string;
  readonly failed?: (result: Result) => boolean;
}

interface InSession<Options, Result> extends OneResult<Result>, Needs {
  readonly action: (
    session: OperatorSession,
    options: Options,
    argument?: string,
  ) => Promise<Result>;
}

/** A command for which the program opens no session. Its action opens what it needs itself. */
interface Standalone<Options, Result> extends OneResult<Result> {
  readonly action: (options: Options, argument?: string) => Promise<Result>;
}

/** A command that prints any number of records, a line each. With `--json`, a line is JSON. */
interface Lines<Options, Row> extends Declaration {
  readonly action: (
    session: OperatorSession,
    options: Options,
  ) => Promise<AsyncIterable<readonly Row[]>>;
  readonly readable: (row: Row) => string;
}

type Given<Options> = Options & { readonly json?: true };

export class Program {
  readonly root = new Command('keyledger')
    .description(
      'Administers Keyledger. Needs the settings of the service, but not a running service.',
    )
    .version(`${VERSION} (commit ${COMMIT})`, '-V, --version', 'print the version and the commit')
    .helpCommand(false)
    .exitOverride();

  failed = false;
  #words: readonly string[] = [];

  constructor(
    private readonly withSession: WithSession,
    private readonly print: Print,
  ) {}

  /** Runs a command. @throws CommanderError for wrong usage, and after `--help`. */
  async run(words: readonly string[]): Promise<void> {
    this.#words = words;
    await this.root.parseAsync(words, { from: 'user' });
  }

  group(name: string, description: string, parent: Command = this.root): Command {
    return parent.command(name).description(description).helpCommand(false);
  }

  command<Options, Result extends Json>(
    parent: Command,
    { action, ...rest }: InSession<Options, Result>,
  ): void {
    this.standalone<Options, Result>(parent, {
      ...rest,
      action: (options, argument) =>
        this.withSession((session) => action(session, options, argument), rest),
    });
  }

  standalone<Options, Result extends Json>(
    parent: Command,
    {
      argument,
      action,
      readable = readableResult,
      failed,
      ...declaration
    }: Standalone<Options, Result>,
  ): void {
    const command = this.#declare(parent, declaration, 'one JSON document');
    if (argument) command.argument(...argument);
    command.action(async () => {
      const given = command.opts<Given<Options>>();
      const result = await action(given, command.args[0]);
      // A closed pipe is a failure too, because the result may be a key that is shown only once.
      await this.print(given.json ? `${JSON.stringify(result)}\n` : readable(result));
      this.failed = failed?.(result) ?? false;
    });
  }

  lines<Options, Row extends object>(
    parent: Command,
    { action, readable, ...declaration }: Lines<Options, Row>,
  ): void {
    const command = this.#declare(parent, declaration, 'one JSON document per line');
    command.action(async () => {
      const given = command.opts<Given<Options>>();
      const lineOf = given.json ? JSON.stringify : readable;
      await this.withSession(async (session) => {
        for await (const rows of await action(session, given)) {
          const isRead = await this.#printUnlessClosed(
            rows.map((row) => `${lineOf(row)}\n`).join(''),
          );
          if (!isRead) return;
        }
      }, {});
    });
  }

  /** Prints a text. @returns false when the reader, such as `head`, has closed the pipe. */
  async #printUnlessClosed(text: string): Promise<boolean> {
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
    { name, description, options = [] }: Declaration,
    json: string,
  ): Command {
    const command = parent.command(name).description(description).allowExcessArguments(false);
    for (const option of options) command.addOption(this.#strictOption(option, command));
    return command.option('--json', `print ${json} and nothing else`);
  }

  /**
   * Returns a copy of a shared option that refuses two things that commander takes: a second value,
   * of which it uses the last, and an option as a value, which is what a shell makes of
   * `--restriction $EMPTY --json`.
   */
  #strictOption(shared: Option, command: Command): Option {
    const option = Object.assign(new Option(shared.flags, shared.description), shared);
    if (option.isBoolean()) return option;
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
