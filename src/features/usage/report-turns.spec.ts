import { describe, expect, it } from '@jest/globals';
import { ACCEPTED_AT, recordOf, WORKSPACE } from '../../../test/support/histories/usage.js';
import type { InParts } from './domain/in-parts.js';
import { reportEventData } from './domain/report-event.js';
import { contentHash } from './domain/usage-record.js';
import { ReportTurns } from './report-turns.js';
import { MOST_RECORDS, readRecords } from './usage-report-body.js';

/** Counts the turns of the event loop until some work is done. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isDone = true;
  return turns;
}

describe('the work on a report', () => {
  const records = Array.from({ length: MOST_RECORDS }, () => recordOf());
  const report = {
    account_id: 'account-1',
    report_id: 'report-1',
    content_hash: '',
    records,
    keys: new Map(
      records.map(({ key_hash: hash }) => [
        hash,
        { hash, workspace_id: WORKSPACE, external_user: null },
      ]),
    ),
  };
  const body = { records: records.map(({ key_hash }) => ({ key_hash, cost: 1 })) };

  it.each<[string, () => InParts<unknown>]>([
    ['reading', () => readRecords(body)],
    ['hashing', () => contentHash(records)],
    ['summing up', () => reportEventData(report, ACCEPTED_AT)],
  ])('leaves a turn of the event loop to others every 100 records while %s', async (_, work) => {
    expect(
      await turnsOf(new ReportTurns().run('read', 'account-1', work())),
    ).toBeGreaterThanOrEqual(9);
  });

  it('is done for one report at a time, and accounts take turns', async () => {
    const turns = new ReportTurns();
    const parts: string[] = [];
    function* work(account: string): InParts<void> {
      parts.push(`${account} begins`);
      yield;
      parts.push(`${account} ends`);
    }
    await Promise.all(
      ['a', 'a', 'a', 'b'].map((account) => turns.run('read', account, work(account))),
    );
    const order = ['a', 'a', 'b', 'a'];
    expect(parts).toEqual(order.flatMap((account) => [`${account} begins`, `${account} ends`]));
  });

  it('comes to a later step before the next but one report is read, with one part in a turn', async () => {
    const turns = new ReportTurns();
    const parts: string[] = [];
    function* work(part: string): InParts<void> {
      parts.push(part);
      yield;
      parts.push(part);
    }
    const handle = async (report: number): Promise<void> => {
      await turns.run('read', 'a', work(`read ${report}`));
      await turns.run('hash', 'a', work(`hash ${report}`));
    };
    const all = Promise.all([1, 2, 3].map(handle));
    expect(await turnsOf(all)).toBeGreaterThanOrEqual(11);
    expect(parts.lastIndexOf('hash 1')).toBeLessThan(parts.indexOf('read 3'));
  });

  it('goes on with the next report after a fault', async () => {
    const turns = new ReportTurns();
    const refused = turns.run('read', 'account-1', readRecords({ records: [] }));
    const next = turns.run('read', 'account-1', readRecords(body));
    await expect(refused).rejects.toThrow('request-invalid');
    expect(await next).toHaveLength(MOST_RECORDS);
  });
});
