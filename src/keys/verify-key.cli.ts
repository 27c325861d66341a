import type { Command } from 'commander';
import { forPeople } from '../command-line/for-people.js';
import { optional, type Program } from '../command-line/program.js';
import { lineOnStandardInput } from '../command-line/standard-input.js';
import { hashOfKeyString } from '../key-strings/key-string.js';
import { presentVerification, type VerificationRecord } from './verification-record.js';
import { VerifyKey, VerifyKeyHandler } from './verify-key/verify-key.lookup.js';

/** The longest line with a key string, in UTF-16 units: 70 for the key string, the rest for spaces and line ends. */
const MOST_CHARACTERS = 512;

type Verified = VerificationRecord & { readonly account_id: string | null };

/** Adds `keyledger keys verify` (docs/api.md 12.1). */
export function addVerifyKeyCommand(program: Program, keys: Command): void {
  program.command<{ account?: string; workspace?: string }, Verified & Record<string, unknown>>(
    keys,
    'verify',
    'Say whether the key on standard input may be used.',
    [
      optional('--account <id>', 'account that the key must be of; absent: any'),
      optional('--workspace <id>', 'workspace that the key must be in; absent: any'),
    ],
    async (session, { account, workspace }) => {
      const key = await keyOnStandardInput();
      if (key === undefined) keys.error('error: standard input must be one key string');
      const question = new VerifyKey(account ?? null, hashOfKeyString(key), workspace);
      const verification = await session.get(VerifyKeyHandler).execute(question);
      const account_id = verification.key?.account_id ?? null;
      return { account_id, ...presentVerification(verification) };
    },
    {
      purpose: 'examines',
      people: ({ account_id, valid, code, key, exceeded }) =>
        forPeople({
          code,
          valid,
          account_id,
          ...Object.fromEntries(Object.entries(key ?? {})),
          ...(exceeded && { exceeded }),
        }),
      failed: ({ valid }) => !valid,
    },
  );
}

/** Reads a key from standard input. @returns undefined for no line, several lines, a long line, or spaces inside. */
async function keyOnStandardInput(): Promise<string | undefined> {
  const key = (await lineOnStandardInput(MOST_CHARACTERS))?.trim();
  return key === '' || (key !== undefined && /\s/.test(key)) ? undefined : key;
}
