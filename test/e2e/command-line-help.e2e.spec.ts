import { describe, expect, it } from '@jest/globals';
import { keyledgerHere } from '../harness/command-in-process.js';
import type { CommandLineResult } from '../harness/command-line.js';

describe('the help of the command line', () => {
  function run(...args: readonly string[]): Promise<CommandLineResult> {
    return keyledgerHere({}, ...args);
  }

  it.each([
    [
      '',
      [
        'accounts',
        'members',
        'workspaces',
        'management-keys',
        'keys',
        'end-users',
        'projections',
        'log',
        'backup',
        'restore',
        'doctor',
        'audit',
        'help',
      ],
    ],
    ['accounts', ['create', 'list']],
    ['accounts create', ['--name', '--kind', '--owner', '--json']],
    ['accounts list', ['--json']],
    ['members', ['list', 'add', 'remove']],
    ['members list', ['--account', '--limit', '--json']],
    ['members add', ['--account', '--user', '--json']],
    ['members remove', ['--account', '--user', '--disable-keys', '--json']],
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
    ['keys', ['list', 'read', 'create', 'update', 'delete', 'verify']],
    [
      'keys list',
      [
        ...['--account', '--workspace', '--creator', '--external-user', '--name'],
        ...['--include-disabled', '--limit', '--json'],
      ],
    ],
    ['keys read', ['--hash', '--account', '--json']],
    [
      'keys create',
      [
        ...['--account', '--name', '--creator', '--expires-at', '--external-user'],
        ...['--lookup-key-stdin', '--limit', '--limit-reset', '--include-byok-in-limit'],
        ...['--workspace', '--json'],
      ],
    ],
    [
      'keys update',
      [
        ...['--hash', '--account', '--name', '--disabled', '--limit', '--limit-reset'],
        ...['--include-byok-in-limit', '--workspace', '--json'],
      ],
    ],
    ['keys delete', ['--hash', '--account', '--json']],
    ['keys verify', ['--account', '--workspace', '--json']],
    ['end-users', ['list', 'read', 'register']],
    ['end-users list', ['--account', '--user', '--include-inactive', '--limit', '--json']],
    ['end-users read', ['--account', '--user', '--json']],
    ['end-users register', ['--account', '--user', '--json']],
    ['projections', ['status', 'rebuild', 'verify']],
    ['projections status', ['--json']],
    ['projections rebuild', ['[names...]', '--all', '--json']],
    ['projections verify', ['[names...]', '--all', '--json']],
    ['log', ['verify']],
    ['log verify', ['--json']],
    ['backup', ['<directory>', '--keep', '--json']],
    ['restore', ['<backup>', '--json']],
    ['doctor', ['--json']],
    [
      'audit',
      [
        ...['--account', '--since', '--from', '--to', '--action', '--actor', '--target-type'],
        ...['--limit', '--json'],
      ],
    ],
  ])('explains "%s" with --help and help, on standard output', async (command, mentions) => {
    const words = command === '' ? [] : command.split(' ');
    const { code, stdout, stderr } = await run(...words, '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await run('help', ...words)).toMatchObject({ code: 0, stdout, stderr: '' });
    expect(stdout).toContain(`Usage: ${['keyledger', ...words].join(' ')}`);
    for (const word of [...mentions, '--help']) expect(stdout).toContain(word);
  });

  it('marks the options that a command cannot do without', async () => {
    const { stdout } = await run('keys', 'create', '--help');
    expect(stdout).toContain('Usage: keyledger keys create --account <id> --name <name> [options]');
    const marked = stdout.split(/\n {2}(?=-)/).filter((option) => option.includes('(required)'));
    expect(marked.map((option) => option.split(' ')[0])).toEqual(['--account', '--name']);
  });
});
