import { describe, expect, it } from '@jest/globals';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import type { CommandLineResult } from '../support/harness/command-line.js';

describe('the help of the command line', () => {
  function run(...args: readonly string[]): Promise<CommandLineResult> {
    return keyledgerHere({}, ...args);
  }

  it.each([
    [
      '',
      ['accounts', 'members', 'workspaces', 'management-keys', 'projections', 'backup', 'audit'],
    ],
    ['accounts', ['create', 'list']],
    ['accounts create', ['--name', '--kind', '--owner', '--json']],
    ['accounts list', ['--json']],
    ['members', ['add', 'remove']],
    ['members add', ['--account', '--user', '--json']],
    ['members remove', ['--account', '--user', '--json']],
    ['workspaces', ['create', 'list', 'restrict', 'members']],
    ['workspaces create', ['--account', '--name', '--restriction', '--json']],
    ['workspaces list', ['--account', '--json']],
    ['workspaces restrict', ['--workspace', '--restriction', '--json']],
    ['workspaces members', ['add', 'remove']],
    ['workspaces members add', ['--workspace', '--user', '--json']],
    ['workspaces members remove', ['--workspace', '--user', '--json']],
    ['management-keys', ['create', 'list', 'revoke']],
    ['management-keys create', ['--account', '--user', '--name', '--json']],
    ['management-keys list', ['--account', '--json']],
    ['management-keys revoke', ['--hash', '--json']],
    ['projections', ['status', 'rebuild', 'verify']],
    ['projections status', ['--json']],
    ['projections rebuild', ['[name]', '--json']],
    ['projections verify', ['[name]', '--json']],
    ['backup', ['<directory>', '--json']],
    [
      'audit',
      [
        ...['--account', '--from', '--to', '--action', '--actor', '--target-type'],
        ...['--limit', '--json'],
      ],
    ],
  ])('explains "%s" with --help, on standard output', async (command, mentions) => {
    const words = command === '' ? [] : command.split(' ');
    const { code, stdout, stderr } = await run(...words, '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: ${['keyledger', ...words].join(' ')}`);
    for (const word of [...mentions, '--help']) expect(stdout).toContain(word);
  });

  it('marks the options that a command cannot do without', async () => {
    const { stdout } = await run('accounts', 'create', '--help');
    const marked = stdout.split(/\n {2}(?=-)/).filter((option) => option.includes('(required)'));
    expect(marked.map((option) => option.split(' ')[0])).toEqual(['--name', '--owner']);
  });
});
