import { type Command, Help, type Option } from 'commander';

/** Marks required options in every help text, in the usage and in the list of options. */
export function withRequiredMarked(root: Command): Command {
  const help = new Help();
  return root.configureHelp({
    showGlobalOptions: true,
    commandUsage: (command) =>
      help.commandUsage(command).replace(' [options]', requiredOf(command)),
    optionDescription: (option) => {
      const described = help.optionDescription(option);
      return option.mandatory ? `${described} (required)` : described;
    },
  });
}

function requiredOf({ options }: Command): string {
  const required = options.filter(needsToBeGiven).map(({ flags }) => ` ${flags}`);
  return `${required.join('')} [options]`;
}

function needsToBeGiven({ mandatory, defaultValue }: Option): boolean {
  return mandatory && defaultValue === undefined;
}

/** Adds `keyledger help [command...]`, which prints what `--help` prints. */
export function addHelpCommand(root: Command): void {
  root
    .command('help')
    .description('Explain a command, such as `help keys create`.')
    .argument('[command...]', 'words of the command')
    .action((words: readonly string[]) => {
      let explained = root;
      for (const word of words) {
        const found = explained.commands.find((command) => command.name() === word);
        if (!found) root.error(`error: unknown command '${words.join(' ')}'`);
        explained = found;
      }
      explained.outputHelp();
    });
}
