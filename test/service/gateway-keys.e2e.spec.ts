import { beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { RevokeManagementKey } from '../../src/features/accounts/accounts.commands.js';
import { hashKeyString, mintKeyString } from '../../src/kernel/key-string.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import type { Answer } from '../support/harness/http-client.js';
import { OPERATOR, runningApp, type TestAccount } from '../support/harness/running-app.js';

const [INFO, ERROR] = [30, 50];

describe('the management key of a gateway', () => {
  const service = runningApp();
  let account: TestAccount;
  let key: string;

  beforeAll(async () => {
    account = await service.openAccount();
    ({ key } = await createKey(account.client));
  });

  function ask(authorization?: string): Promise<Answer> {
    const headers = authorization === undefined ? {} : { 'Keyledger-Authorization': authorization };
    return service.client.as(key).get('/v1/authorize', { headers });
  }

  async function expectRefused(authorization?: string): Promise<void> {
    const answer = await ask(authorization);
    expect(errorOf(answer, 403).userId).toBeNull();
    expect(answer.headers.get('keyledger-code')).toBe('GATEWAY_UNAUTHORIZED');
  }

  /** Gives the refusals that are counted, by what was wrong with the key. */
  async function counted(): Promise<Record<string, number>> {
    const seen = await scrape(service.client);
    const faults = ['missing', 'unknown', 'revoked'];
    return Object.fromEntries(
      faults.map((fault) => [
        fault,
        seen.value('keyledger_gateway_refusals_total', { key: fault }) ?? NaN,
      ]),
    );
  }

  const logged = (): string[] =>
    service.logLines.filter((line) => line.includes('key of a gateway is'));

  it('lets nobody in who has none or a wrong one, and is one INFO line a second, never 429', async () => {
    const wrong = ['x', key, mintKeyString('mk-v1-'), 'mk-v1-x'].map((one) => `Bearer ${one}`);
    const { missing = NaN, unknown = NaN, revoked } = await counted();
    for (const one of [...wrong, ...wrong]) await expectRefused(one);
    for (const one of [undefined, `Basic ${account.managementKey}`]) await expectRefused(one);
    expect(await counted()).toEqual({ missing: missing + 2, unknown: unknown + 8, revoked });
    const lines = await eventually('both log lines', () => logged().length > 1 && logged());
    expect(lines.length).toBeLessThan(10);
    // A stranger can send all of these, so none is an error.
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ level: INFO, address: '127.0.0.1' });
    expect(lines.join('')).not.toContain('mk-v1-');
  });

  it('is an ERROR line once it is revoked, because it was right before', async () => {
    const gateway = await service.openAccount();
    const authorization = `Bearer ${gateway.managementKey}`;
    expect((await ask(authorization)).headers.get('keyledger-code')).toBe('NOT_FOUND');
    const hash = hashKeyString(gateway.managementKey);
    const revoke = new RevokeManagementKey(gateway.accountId, hash, OPERATOR);
    await service.app.get(CommandBus).execute(revoke);
    const { revoked = NaN, ...others } = await counted();
    await expectRefused(authorization);
    expect(await counted()).toEqual({ ...others, revoked: revoked + 1 });
    const line = await eventually('the log line', () =>
      logged().find((one) => one.includes('revoked')),
    );
    expect(JSON.parse(line)).toMatchObject({ level: ERROR, address: '127.0.0.1' });
  });
});
