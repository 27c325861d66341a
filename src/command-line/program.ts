import { Command, InvalidArgumentError, Option } from 'commander';
import { isCleanText } from '../kernel/text.js';
import { codePoints } from '../kernel/tracking-string.js';
import { forPeople } from './for-people.js';
import type { OperatorSession } from './operator-session.js';

/** Runs an action with the service's parts, opened for it and closed after it. */
export type WithSession = <Result>(
  action: (session: OperatorSession) => Promise<Result>,
) => Promise<Result>;

/** What a command prints: with `--json` as it is, else in a form for people. */
export type Action<Options> = (
  session: OperatorSession,
  options: Options,
) => Promise<Readonly<Record<string, unknown>>>;

/** The `keyledger` program, to which features add their commands. */
export class Program {
  readonly root = new Command('keyledger')
    .description('Operates Keyledger beside the running service, with the same settings.')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true });

  constructor(
    private readonly withSession: WithSession,
    private readonly print: (text: string) => void,
  ) {}

  /** A command that only groups others. */
  group(name: string, description: string, parent: Command = this.root): Command {
    return parent.command(name).description(description).helpCommand(false);
  }

  /** A command that does something. Its options are required unless they say otherwise. */
  command<Options>(
    parent: Command,
    name: string,
    description: string,
    options: readonly Option[],
    action: Action<Options>,
  ): void {
    const command = parent.command(name).description(description).allowExcessArguments(false);
    for (const option of options) command.addOption(option);
    command.option('--json', 'print one JSON document and nothing else');
    command.action(async (given: Options & { readonly json?: true }) => {
      const result = await this.withSession((session) => action(session, given));
      this.print(given.json ? `${JSON.stringify(result)}\n` : forPeople(result));
    });
  }
}

/** A mandatory option that takes text of 1 to 512 characters. */
export function required(flags: string, description: string): Option {
  return optional(flags, description).makeOptionMandatory();
}

/** An option that takes text of 1 to 512 characters. */
export function optional(flags: string, description: string): Option {
  return new Option(flags, description).argParser(text);
}

/** An option that may be repeated, with text of 1 to 512 characters each. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, before?: string[]) => [
    ...(before ?? []),
    text(value),
  ]);
}

const MAX_LENGTH = 512;

function text(value: string): string {
  if (isCleanText(value) && value.trim() !== '' && codePoints(value) <= MAX_LENGTH) return value;
  throw new InvalidArgumentError(`takes text of 1 to ${MAX_LENGTH} characters.`);
}
