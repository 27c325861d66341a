import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Command } from '@nestjs/cqrs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AppModule } from '../../src/host/assembly/app.module.js';
import { OperatorSession } from '../../src/edge/command-line/operator-session.js';
import { hashKeyString } from '../../src/kernel/key-string.js';
import { readSettings } from '../../src/host/settings/settings.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { printedBy } from '../support/harness/command-in-process.js';
import { appendUnreadable } from '../support/harness/unreadable-event.js';

/** An operator after whose decisions the account directory stops folding. */
class UnluckyOperator extends OperatorSession {
  constructor(private readonly service: INestApplicationContext) {
    super(service, 'ada');
  }

  override async execute<Result>(command: Command<Result>): Promise<Result> {
    const result = await super.execute(command);
    await appendUnreadable(this.service, 'AccountCreated');
    return result;
  }
}

describe('a command of the command line succeeds with its decision, even when no projection can follow:', () => {
  let backends: Backends;
  let service: INestApplicationContext;
  let account: Record<string, string>;

  /** Runs a command and gives what it prints with `--json`. */
  async function run(session: OperatorSession, ...args: string[]): Promise<Record<string, string>> {
    return (await printedBy(session, args)) as Record<string, string>;
  }

  /** Runs a command. The account directory stops folding at its decision. */
  async function runUnluckily(...args: string[]): Promise<Record<string, string>> {
    const printed = await run(new UnluckyOperator(service), ...args);
    const look = run(new OperatorSession(service, 'ada'), 'accounts', 'list');
    await expect(look).rejects.toThrow('cannot be read');
    return printed;
  }

  beforeEach(async () => {
    backends = await freshBackends();
    const settings = readSettings(backends.settings);
    const root = AppModule.register(settings);
    service = await NestFactory.createApplicationContext(root, { logger: false });
    const wanted = ['--name', `Ada ${randomUUID()}`, '--owner', 'ada'];
    account = await run(new OperatorSession(service, 'ada'), 'accounts', 'create', ...wanted);
  });

  afterEach(async () => {
    await service.close();
    await backends.dispose();
  });

  it('workspaces create', async () => {
    const account_id = account.account_id ?? '';
    const wanted = ['--account', account_id, '--name', 'Europe', '--restriction', 'eu-only'];
    expect(await runUnluckily('workspaces', 'create', ...wanted)).toEqual({
      workspace_id: expect.any(String),
      account_id,
      name: 'Europe',
      restrictions: ['eu-only'],
    });
  });

  it('workspaces restrict', async () => {
    const workspace_id = account.default_workspace_id ?? '';
    const wanted = ['--workspace', workspace_id, '--restriction', 'eu-only'];
    expect(await runUnluckily('workspaces', 'restrict', ...wanted)).toEqual({
      workspace_id,
      account_id: account.account_id,
      name: 'Default',
      restrictions: ['eu-only'],
    });
  });

  it('management-keys revoke', async () => {
    const hash = hashKeyString(account.management_key ?? '');
    const revoked = await runUnluckily('management-keys', 'revoke', '--hash', hash);
    expect(revoked).toEqual({ hash, revoked_at: expect.any(String) });
  });

  it('management-keys revoke, also when the directory was stuck before', async () => {
    const hash = hashKeyString(account.management_key ?? '');
    const operator = new OperatorSession(service, 'ada');
    await run(operator, 'accounts', 'list');
    await appendUnreadable(service, 'AccountCreated');
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const revoked = await run(operator, 'management-keys', 'revoke', '--hash', hash);
      expect(revoked).toEqual({ hash, revoked_at: expect.any(String) });
      expect(stderr.mock.calls.join()).toMatch(
        /^account-directory is stuck, and the answer may be incomplete/,
      );
    } finally {
      stderr.mockRestore();
    }
  });
});
