import { type Command, Option } from 'commander';
import { optional, type Program } from '../command-line/program.js';
import { flag } from '../command-line/values.js';
import {
  accountOfKey,
  bodyOf,
  type KeyFieldOptions,
  keyFieldOptions,
  ONE_KEY,
  type OneKey,
  type PrintedKey,
  printedKey,
} from './key-options.cli.js';
import { UpdateKey } from './update-key/update-key.command.js';

interface Options extends OneKey, KeyFieldOptions {
  readonly name?: string;
  readonly disabled?: boolean;
}

/** Adds `keyledger keys update`, which accepts the fields of `PATCH /v1/keys/{hash}` (docs/api.md 4.1). */
export function addUpdateKeyCommand(program: Program, keys: Command): void {
  program.command<Options, PrintedKey & Record<string, unknown>>(
    keys,
    'update',
    'Change an API key: everything that is given, or nothing.',
    [
      ...ONE_KEY,
      optional('--name <name>', 'its new name'),
      new Option('--disabled <flag>', 'true to disable the key, false to enable it').argParser(
        flag,
      ),
      ...keyFieldOptions('workspace to move the key to'),
    ],
    async (session, options) => {
      const { name, disabled } = options;
      const body = {
        ...(name !== undefined && { name }),
        ...(disabled !== undefined && { disabled }),
        ...bodyOf(options),
      };
      if (Object.keys(body).length === 0) keys.error('error: No update fields provided');
      const account = await accountOfKey(session, options);
      const command = new UpdateKey(account, options.hash, body, session.origin);
      return printedKey(session, await session.execute(command));
    },
  );
}
