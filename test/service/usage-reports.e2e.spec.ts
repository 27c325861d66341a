import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { NEW_KEY } from '../support/histories/accounts.js';
import { CommandBus } from '@nestjs/cqrs';
import type { Request } from 'express';
import { AccountConcurrencyGuard } from '../../src/edge/rate-limits/account-concurrency.guard.js';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { CreateManagementKey } from '../../src/features/accounts/management-keys.commands.js';
import type { Reported } from '../../src/features/usage/domain/usage.events.js';
import { usageReport, usageReportId } from '../../src/features/usage/domain/accepted-once.js';
import { ReportAdmission } from '../../src/features/usage/report-admission.js';
import { USAGE } from '../../src/event-sourcing/ledger.js';
import type {
  StoredReportRecord,
  UsageReportRecord,
} from '../../src/features/usage/usage-report.fields.js';
import { KeyReader } from '../../src/features/verification/known-keys/key-reader.js';
import { Refusal } from '../../src/kernel/errors.js';
import { hashKeyString, mintKeyString } from '../../src/kernel/key-string.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import type { Answer } from '../support/harness/http-client.js';
import { createOrphanedKey } from '../support/harness/orphaned-keys.js';
import {
  accountOf,
  OPERATOR,
  runningApp,
  type TestAccount,
} from '../support/harness/running-app.js';
import { createWorkspace } from '../support/harness/workspace-routes.js';

interface Accepted {
  readonly data: UsageReportRecord;
}

const KIBIBYTE = 1024;

describe('usage reports', () => {
  const service = runningApp({ RATE_LIMIT_WRITES: '100/600s', RATE_LIMIT_USAGE: '1000/600s' });
  const account = accountOf(service);
  let other: TestAccount;
  let hash: string;

  beforeAll(async () => {
    other = await service.openAccount();
    hash = (await createKey(account.client)).data.hash;
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  function put(id: string, body: unknown, of: TestAccount = account): Promise<Answer<Accepted>> {
    return of.client.send('PUT', `/v1/usage-reports/${id}`, { body });
  }

  const report = (
    records: readonly object[],
    id = randomUUID() as string,
    of?: TestAccount,
  ): Promise<Answer<Accepted>> => put(id, { records }, of);

  const readReport = (
    id: string,
    of: TestAccount = account,
  ): Promise<Answer<{ readonly data: StoredReportRecord }>> =>
    of.client.get(`/v1/usage-reports/${id}`);

  const takeBack = (id: string, of: TestAccount = account): Promise<Answer> =>
    of.client.delete(`/v1/usage-reports/${id}`);

  async function stored(id: string, { accountId }: TestAccount = account): Promise<Reported[]> {
    const stream = usageReport.streamOf(usageReportId(accountId, id));
    const { events } = await service.app.get<EventLog>(USAGE.log).readStream(stream);
    return events.map(({ data }) => data as Reported);
  }

  describe('a new one', () => {
    it('is answered 201, and 200 with the same body when it comes again, and can be read', async () => {
      const id = randomUUID();
      const records = [{ key_hash: hash, cost: 0.1 + 0.2 }];
      const first = await report(records, id);
      const data = { report_id: id, accepted: 1, unattributed: [] };
      expect(first).toMatchObject({ status: 201, body: { data } });
      expect(first.headers.get('cache-control')).toBe('no-store');
      const same = [{ cost: '0.3', key_hash: hash, byok_cost: null, requests: 1, user: null }];
      expect(await report(same, id)).toMatchObject({ status: 200, text: first.text });
      const read = await readReport(id);
      const reporter = { hash: hashKeyString(account.managementKey), user_id: account.userId };
      expect({ status: read.status, data: read.body.data }).toEqual({
        status: 200,
        data: {
          ...data,
          reported_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
          reported_by: reporter,
          usage: 0.3,
          byok_usage: 0,
          requests: 1,
          reversed_at: null,
          reversed_by: null,
        },
      });
      expect(await stored(id)).toHaveLength(1);
    });

    it('counts its records, and names once what is unattributed, in order of first appearance', async () => {
      const id = randomUUID();
      const [one, two] = ['e'.repeat(64), 'd'.repeat(64)];
      const answer = await report(
        [one, hash, two, one].map((key_hash) => ({ key_hash, cost: 1 })),
        id,
      );
      const data = { report_id: id, accepted: 4, unattributed: [one, two] };
      expect(answer).toMatchObject({ status: 201, body: { data } });
      expect(await stored(id)).toMatchObject([
        {
          keys: [{ hash, workspace_id: account.defaultWorkspaceId }],
          sums: [{ key: 0, usage: '1000000000' }],
          unattributed_sums: [{ usage: '3000000000', requests: '3' }],
        },
      ]);
    });

    it('says the same of unknown, deleted and foreign hashes, whatever is in memory', async () => {
      const deleted = (await createKey(account.client)).data.hash;
      await account.client.post('/v1/keys/verify', { hash: deleted });
      await account.client.delete(`/v1/keys/${deleted}`);
      const foreign = (await createKey(other.client)).data.hash;
      await other.client.post('/v1/keys/verify', { hash: foreign });
      const hashes = [UNKNOWN_HASH, deleted, foreign];
      for (const key_hash of hashes) {
        const id = randomUUID();
        const { status, body } = await report([{ key_hash, cost: 1 }], id);
        expect({ status, body }).toEqual({
          status: 201,
          body: { data: { report_id: id, accepted: 1, unattributed: [key_hash] } },
        });
        expect(await stored(id)).toMatchObject([{ keys: [], sums: [], unattributed: [key_hash] }]);
      }
    });

    it('refuses a key string without its prefix in place of its hash', async () => {
      const { key } = await createKey(account.client);
      const id = randomUUID();
      const records = [hash, key.slice(-64)].map((key_hash) => ({ key_hash, cost: 1 }));
      const answer = await report(records, id);
      expectInvalid(answer, account, 'records.1.key_hash');
      expect(answer.text).not.toContain(key.slice(-64));
      expect(await stored(id)).toEqual([]);
    });

    it('charges keys that may not be used, and those of a deleted workspace', async () => {
      const disabled = (await createKey(account.client)).data.hash;
      await account.client.patch(`/v1/keys/${disabled}`, { disabled: true });
      const expires_at = '2001-01-01T00:00:00Z';
      const expired = (await createKey(account.client, { expires_at })).data.hash;
      const spent = (await createKey(account.client, { limit: 0 })).data.hash;
      const orphaned = (await createOrphanedKey(service, account)).data.hash;
      const records = [disabled, expired, spent, orphaned].map((key_hash) => ({
        key_hash,
        cost: 1,
      }));
      const asked = records.map(({ key_hash }) => ({ hash: key_hash }));
      for (const questions of [[], asked]) {
        for (const question of questions) await account.client.post('/v1/keys/verify', question);
        const answer = await report(records);
        expect(answer).toMatchObject({ status: 201, body: { data: { unattributed: [] } } });
      }
    });

    it('has the workspace that its key is in, whether or not the key is in memory', async () => {
      const { id: workspace_id } = await createWorkspace(account.client);
      const members = { user_ids: [account.userId] };
      await account.client.post(`/v1/workspaces/${workspace_id}/members/add`, members);
      const moved = (await createKey(account.client)).data.hash;
      for (const isInMemory of [false, true]) {
        if (isInMemory) await account.client.post('/v1/keys/verify', { hash: moved });
        for (const to of [workspace_id, account.defaultWorkspaceId]) {
          await account.client.patch(`/v1/keys/${moved}`, { workspace_id: to });
          const id = randomUUID();
          await report([{ key_hash: moved, cost: 1 }], id);
          expect(await stored(id)).toMatchObject([{ keys: [{ workspace_id: to }] }]);
        }
      }
    });

    it('puts no key into memory', async () => {
      const fresh = (await createKey(account.client)).data.hash;
      await report([{ key_hash: fresh, cost: 1 }]);
      const reads = jest.spyOn(service.app.get(KeyReader), 'readApiKey');
      await account.client.post('/v1/keys/verify', { hash: fresh });
      expect(reads).toHaveBeenCalledTimes(1);
    });

    it('is counted once by the metrics, and apart what is charged to nobody', async () => {
      const measured = async (): Promise<(number | undefined)[]> => {
        const metrics = await scrape(service.client);
        return ['usage', 'byok'].flatMap((kind) =>
          ['true', 'false'].map((attributed) =>
            metrics.value('keyledger_usage_reported_usd_total', { kind, attributed }),
          ),
        );
      };
      const before = await measured();
      const id = randomUUID();
      const records = [
        { key_hash: hash, cost: 4, byok_cost: '0.5' },
        { key_hash: UNKNOWN_HASH, cost: 2 },
      ];
      for (let time = 0; time < 2; time += 1) await report(records, id);
      const after = await measured();
      expect(after.map((value, index) => (value ?? NaN) - (before[index] ?? NaN))).toEqual([
        4, 2, 0.5, 0,
      ]);
    });
  });

  describe('the id', () => {
    it('is one in upper and in lower case', async () => {
      const id = '01976F6E-ABCD-7000-8000-0000000000EF';
      const records = [{ key_hash: hash, cost: 1 }];
      const first = await report(records, id);
      expect(first).toMatchObject({ status: 201, body: { data: { report_id: id.toLowerCase() } } });
      expect(await report(records, id.toLowerCase())).toMatchObject({ status: 200 });
      expect(await readReport(id)).toMatchObject({ status: 200, body: first.body });
      expect(await takeBack(id)).toMatchObject({ status: 200, body: first.body });
    });

    it.each([
      'none',
      `${randomUUID()}0`,
      UNKNOWN_HASH,
      '00000000-0000-0000-0000-000000000000',
      'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
    ])('%s is none', async (id) => {
      const { reason, paths } = errorOf(await report([{ key_hash: hash, cost: 1 }], id), 400);
      expect({ reason, paths }).toEqual({ reason: 'request-invalid', paths: ['report_id'] });
      for (const answer of [await readReport(id), await takeBack(id)]) {
        expect(errorOf(answer, 404).reason).toBe('not-found');
      }
    });

    it('names another report in each account', async () => {
      const id = randomUUID();
      expect(await report([{ key_hash: hash, cost: 1 }], id)).toMatchObject({ status: 201 });
      errorOf(await readReport(id, other), 404);
      errorOf(await takeBack(id, other), 404);
      const foreign = await report([{ key_hash: hash, cost: 2 }], id, other);
      expect(foreign).toMatchObject({ status: 201, body: { data: { unattributed: [hash] } } });
      errorOf(await readReport(randomUUID()), 404);
    });
  });

  it('are refused with 400 that names every bad record, and nothing is stored', async () => {
    const id = randomUUID();
    const good = { key_hash: hash, cost: 1 };
    const records = Array.from({ length: 300 }, (_, index) =>
      index % 2 === 0 ? good : { ...good, cost: -1 },
    );
    const refused = errorOf(await report(records, id), 400);
    expect(refused.reason).toBe('request-invalid');
    expect(refused.paths).toHaveLength(150);
    expect(refused.paths).toContain('records.299.cost');
    expect(errorOf(await put(id, {}), 400).paths).toEqual(['records']);
    expect(errorOf(await put(id, { records: [good], more: null }), 400).paths).toEqual(['more']);
    errorOf(await readReport(id), 404);
  });

  it('are answered 12 s after their body was there, however long they waited for a place', async () => {
    const never = new Promise<never>(() => undefined);
    jest.spyOn(service.app.get(ReportAdmission), 'admit').mockReturnValue(never);
    const waitedFor = jest.spyOn(AccountConcurrencyGuard.prototype, 'canActivate');
    waitedFor.mockImplementationOnce((context) => {
      const request = context.switchToHttp().getRequest<Request>();
      request.bodyReadAt = performance.now() - 11_900;
      return Promise.resolve(true);
    });
    const late = await report([{ key_hash: hash, cost: 1 }]);
    expect(errorOf(late, 503).reason).toBe('unavailable');
    expect(late.headers.get('retry-after')).toBe('1');
  });

  it('hold no key string, as no body that is stored does', async () => {
    const user = mintKeyString('sk-v1-');
    const refused = errorOf(await report([{ key_hash: hash, cost: 1, user }]), 400);
    expect(refused.paths).toEqual(['records.0.user']);
  });

  it('are taken from an individual account, and from no API key', async () => {
    const individual = await service.openAccount('individual');
    const own = await createKey(individual.client);
    const records = [{ key_hash: own.data.hash, cost: 1 }];
    const answer = await report(records, randomUUID(), individual);
    expect(answer).toMatchObject({ status: 201, body: { data: { unattributed: [] } } });
    const client = individual.client.as(own.key);
    errorOf(await report(records, randomUUID(), { ...individual, client }), 403);
  });

  it('have 1,000 full records, and up to 512 KiB', async () => {
    const record = {
      key_hash: hash,
      cost: '999999.123456789',
      byok_cost: '999999.123456789',
      requests: 1_000_000,
      occurred_at: new Date().toISOString(),
      user: 'x'.repeat(128),
    };
    const records = Array.from({ length: 1_000 }, () => record);
    expect(await report(records)).toMatchObject({
      status: 201,
      body: { data: { accepted: 1_000 } },
    });
    const text = JSON.stringify({ records });
    const fill = (bytes: number): string => text + ' '.repeat(bytes - text.length);
    expect(await put(randomUUID(), fill(512 * KIBIBYTE))).toMatchObject({ status: 201 });
    const refused = errorOf(await put(randomUUID(), fill(512 * KIBIBYTE + 1)), 413);
    expect(refused).toMatchObject({
      reason: 'body-too-large',
      metadata: { limit_bytes: 512 * KIBIBYTE },
    });
    const elsewhere = await account.client.post('/v1/keys', fill(101 * KIBIBYTE + text.length));
    expect(errorOf(elsewhere, 413).metadata).toEqual({ limit_bytes: 100 * KIBIBYTE });
  });
});

describe('the limit of usage reports', () => {
  const service = runningApp({ RATE_LIMIT_WRITES: '1/600s', RATE_LIMIT_USAGE: '3/600s' });
  const account = accountOf(service);

  it('counts those of an account, repeats included, and neither refusals nor reads', async () => {
    const id = randomUUID();
    const second = mintKeyString('mk-v1-');
    const wanted = {
      ...NEW_KEY,
      hash: hashKeyString(second),
      user_id: account.userId,
      name: 'second',
    };
    const command = new CreateManagementKey(account.accountId, wanted, OPERATOR);
    await service.app.get(CommandBus).execute(command);
    const send = (body: object, report = id): Promise<Answer> =>
      account.client.send('PUT', `/v1/usage-reports/${report}`, { body });
    const good = { records: [{ key_hash: UNKNOWN_HASH, cost: 1 }] };
    const left = ({ status, headers }: Answer): unknown[] => [
      status,
      headers.get('ratelimit-limit'),
      headers.get('ratelimit-remaining'),
    ];
    expect(left(await send(good))).toEqual([201, '3', '2']);
    expect(left(await send(good))).toEqual([200, '3', '1']);
    expect(left(await send({ records: [] }))).toEqual([400, '3', '1']);
    const different = { records: [{ key_hash: UNKNOWN_HASH, cost: 2 }] };
    expect(left(await send(different))).toEqual([409, '3', '1']);
    const admission = service.app.get(ReportAdmission);
    jest.spyOn(admission, 'admit').mockRejectedValueOnce(new Refusal('usage-behind'));
    const late = await send(good, randomUUID());
    expect(left(late)).toEqual([503, '3', '1']);
    expect(late.headers.get('retry-after')).toBe('1');
    const path = `/v1/usage-reports/${randomUUID()}`;
    const last = await account.client.as(second).send('PUT', path, { body: good });
    expect(left(last)).toEqual([201, '3', '0']);
    const refused = await send(good, randomUUID());
    expect(left(refused)).toEqual([429, '3', '0']);
    expect(errorOf(refused, 429)).toMatchObject({
      reason: 'rate-limited',
      metadata: { limit: 'usage' },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const read = await account.client.get(`/v1/usage-reports/${id}`);
    expect(left(read)).toEqual([200, null, null]);
    const other = await service.openAccount();
    const elsewhere = await other.client.send('PUT', `/v1/usage-reports/${id}`, { body: good });
    expect(left(elsewhere)).toEqual([201, '3', '2']);
  });
});
