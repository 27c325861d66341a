import { Option } from 'commander';
import type { Program } from '../../edge/command-line/program.js';
import { hashKeyString, mintKeyString } from '../../kernel/key-string.js';

/** Adds `keyledger mint`, which needs no service and changes nothing. */
export function addMintCommand(program: Program): void {
  program.standalone(program.root, {
    name: 'mint',
    description:
      'Print a new key string and its hash. The string opens nothing until its hash is sent.',
    options: [new Option('--management', 'make the string of a management key')],
    action({ management = false }: { management?: boolean }) {
      const key = mintKeyString(management ? 'mk-v1-' : 'sk-v1-');
      return Promise.resolve({ key, hash: hashKeyString(key) });
    },
  });
}
