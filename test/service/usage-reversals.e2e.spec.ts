import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { usageReport, usageReportId } from '../../src/features/usage/domain/accepted-once.js';
import { USAGE } from '../../src/event-sourcing/ledger.js';
import type { StoredReportRecord } from '../../src/features/usage/usage-report.fields.js';
import { hashKeyString } from '../../src/kernel/key-string.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import type { Answer } from '../support/harness/http-client.js';
import { accountOf, runningApp } from '../support/harness/running-app.js';

interface Stored {
  readonly data: StoredReportRecord;
}

describe('a usage report that is taken back', () => {
  const service = runningApp();
  const account = accountOf(service);

  const send = (method: string, id: string, body?: object): Promise<Answer<Stored>> =>
    account.client.send(method, `/v1/usage-reports/${id}`, body ? { body } : {});
  const report = (id: string, ...records: readonly object[]): Promise<Answer<Stored>> =>
    send('PUT', id, { records });
  const takeBack = (id: string): Promise<Answer<Stored>> => send('DELETE', id);
  const readReport = (id: string): Promise<Answer<Stored>> => send('GET', id);

  it('counts no more, is read with its sums, and keeps its id', async () => {
    const { data: key } = await createKey(account.client, { limit: 5 });
    const id = randomUUID();
    const records = [
      { key_hash: key.hash, cost: 250_000, byok_cost: 1, requests: 2 },
      { key_hash: UNKNOWN_HASH, cost: 2 },
    ];
    await report(id, ...records);
    const verify = (): Promise<Answer> =>
      account.client.post('/v1/keys/verify', { hash: key.hash });
    expect(await verify()).toMatchObject({ body: { data: { code: 'LIMIT_EXCEEDED' } } });
    const { data: before } = (await readReport(id)).body;
    expect(before).toMatchObject({ usage: 250_002, byok_usage: 1, requests: 3 });
    const taken = await takeBack(id);
    const { reversed_at, reversed_by, ...rest } = taken.body.data;
    expect(taken.status).toBe(200);
    expect(before).toMatchObject(rest);
    expect(reversed_at).toEqual(expect.any(String));
    const reporter = { hash: hashKeyString(account.managementKey), user_id: account.userId };
    expect(reversed_by).toEqual(reporter);
    expect(await verify()).toMatchObject({ body: { data: { code: 'VALID' } } });
    const read = await account.client.get(`/v1/keys/${key.hash}`);
    expect(read).toMatchObject({ body: { data: { usage: 0, limit_remaining: 5 } } });
    expect(await takeBack(id)).toMatchObject({ status: 200, text: taken.text });
    expect(await readReport(id)).toMatchObject({ status: 200, text: taken.text });
    for (const again of [records, records.slice(1)]) {
      expect(errorOf(await report(id, ...again), 409).reason).toBe('report-reversed');
    }
    expect(await verify()).toMatchObject({ body: { data: { code: 'VALID' } } });
  });

  it('is taken back once by requests at the same time', async () => {
    const id = randomUUID();
    await report(id, { key_hash: UNKNOWN_HASH, cost: 4 });
    const answers = await Promise.all([takeBack(id), takeBack(id), takeBack(id)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const stream = usageReport.streamOf(usageReportId(account.accountId, id));
    const { events } = await service.app.get<EventLog>(USAGE.log).readStream(stream);
    expect(events.map(({ type }) => type)).toEqual(['UsageReported', 'UsageReversed']);
  });

  it('was reported before', async () => {
    expect(errorOf(await takeBack(randomUUID()), 404).reason).toBe('not-found');
  });
});
