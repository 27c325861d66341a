import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Command } from '@nestjs/cqrs';
import { OperatorSession } from '../../src/command-line/operator-session.js';
import { createKey } from '../harness/api-keys.js';
import { auditEvents } from '../harness/audit-events.js';
import { printedBy } from '../harness/command-in-process.js';
import { runningApp, type TestAccount } from '../harness/running-app.js';
import { createWorkspace } from '../harness/workspace-routes.js';

/** More keys than one step disables. */
const MANY = 120;

/** An operator whose command is cut off after some changes. */
class CutOff extends OperatorSession {
  changesLeft = 0;
  readonly #begun: Promise<unknown>[] = [];

  override execute<Result>(command: Command<Result>): Promise<Result> {
    if (this.changesLeft === 0) return Promise.reject(new Error('cut off'));
    this.changesLeft -= 1;
    const change = super.execute(command);
    this.#begun.push(change);
    return change;
  }

  /** Waits for the changes that had begun. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#begun);
  }
}

describe('the command line when a member leaves', () => {
  const service = runningApp();
  let account: TestAccount;

  beforeEach(async () => {
    account = await service.openAccount();
    await members('add', 'bob');
  });

  function members(command: string, user: string, ...options: string[]): Promise<unknown> {
    return printedBy(new OperatorSession(service.app, 'ada'), named(command, user, options));
  }

  function named(command: string, user: string, options: readonly string[]): string[] {
    return ['members', command, '--account', account.accountId, '--user', user, ...options];
  }

  async function makeKeys(count: number, fields: object = {}): Promise<string[]> {
    const made = Array.from({ length: count }, () =>
      createKey(account.client, { creator_user_id: 'bob', ...fields }),
    );
    return (await Promise.all(made)).map(({ data }) => data.hash);
  }

  async function liveKeys(query = 'creator_user_id=bob'): Promise<number> {
    const { body } = await account.client.get<{ total_count: number }>(`/v1/keys?${query}`);
    return body.total_count;
  }

  it('says how many live keys the member made, and leaves them', async () => {
    const [disabled, deleted] = await makeKeys(4);
    await account.client.patch(`/v1/keys/${disabled}`, { disabled: true });
    await account.client.delete(`/v1/keys/${deleted}`);
    await createKey(account.client);
    expect(await members('remove', 'bob')).toEqual({
      account_id: account.accountId,
      user_id: 'bob',
      live_api_keys: 2,
      disabled_api_keys: 0,
    });
    expect(await liveKeys()).toBe(2);
  });

  it('disables them in the same go, in every workspace, and no others', async () => {
    const { id } = await createWorkspace(account.client);
    await makeKeys(2);
    await makeKeys(1, { workspace_id: id });
    await createKey(account.client);
    expect(await members('remove', 'bob', '--disable-keys')).toMatchObject({
      live_api_keys: 0,
      disabled_api_keys: 3,
    });
    expect(await liveKeys()).toBe(0);
    expect(await liveKeys('workspace_id=all')).toBe(1);
    const [event] = await auditEvents(account.client, 'action=key.disabled');
    expect(event?.actor).toMatchObject({ type: 'operator', id: 'ada' });
  });

  it('is finished by another run when it was cut off at any point, and may be repeated', async () => {
    await makeKeys(MANY);
    for (const changes of [1, 2, 60]) {
      const session = new CutOff(service.app, 'ada');
      session.changesLeft = changes;
      const cut = printedBy(session, named('remove', 'bob', ['--disable-keys']));
      await expect(cut).rejects.toThrow('cut off');
      await session.ended();
    }
    const left = await liveKeys();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(MANY);
    for (const disabled_api_keys of [left, 0]) {
      expect(await members('remove', 'bob', '--disable-keys')).toMatchObject({
        live_api_keys: 0,
        disabled_api_keys,
      });
      expect(await liveKeys()).toBe(0);
    }
    const removed = await auditEvents(account.client, 'action=member.removed');
    expect(removed).toHaveLength(1);
  });

  it('disables nothing of the owner, nor of somebody who never was a member', async () => {
    await makeKeys(1, { creator_user_id: 'mallory' });
    await makeKeys(1, { creator_user_id: account.userId });
    for (const [user, refusal] of [
      ['mallory', 'member-unknown'],
      [account.userId, 'owner-not-removable'],
    ] as const) {
      await expect(members('remove', user, '--disable-keys')).rejects.toThrow(refusal);
      expect(await liveKeys(`creator_user_id=${user}`)).toBe(1);
    }
  });
});
