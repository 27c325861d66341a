import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Lag } from '../../event-sourcing/projections/lag.js';
import { Progress } from '../../event-sourcing/projections/progress.js';
import { Refusal } from '../../kernel/errors.js';
import { ReportAdmission } from './report-admission.js';

const A = 'account-a';
const B = 'account-b';

describe('a report that comes while usage is counted late', () => {
  let lag: Lag;
  let progress: Progress;
  let admission: ReportAdmission;
  /** The records of each account that are not counted yet. */
  let uncounted: Map<string, number>;
  let parked: string;
  /** The outcomes of the reports, in order. */
  let outcomes: string[];

  beforeEach(() => {
    jest.useFakeTimers();
    lag = new Lag();
    progress = new Progress(() => undefined);
    uncounted = new Map();
    parked = '';
    const recent = {
      isParked: (id: string) => id === parked,
      get records() {
        return [...uncounted.values()].reduce((sum, records) => sum + records, 0);
      },
      recordsOf: (id: string) => uncounted.get(id) ?? 0,
    };
    admission = new ReportAdmission({ lag, progress }, { recent });
    outcomes = [];
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  function fold(to: string): Promise<void> {
    lag.noteCheckpoint(to);
    progress.moveTo(to);
    return after(0);
  }

  async function after(ms: number): Promise<void> {
    await jest.advanceTimersByTimeAsync(ms);
  }

  function report(accountId: string, bodyAt = performance.now()): void {
    const note = (outcome: string): number => outcomes.push(`${accountId} ${outcome}`);
    admission.admit(accountId, bodyAt).then(
      () => note('goes on'),
      (error: unknown) => note(error instanceof Refusal ? error.code : String(error)),
    );
  }

  /** Lets the read models be out of date by some time, and catch up. */
  async function late(ms: number): Promise<void> {
    lag.noteEnd('1');
    await after(200);
    lag.noteEnd('2');
    await after(ms - 200);
    await fold('0');
  }

  it('goes on at once if usage is not late, or late by a second', async () => {
    report(A);
    await late(1_000);
    report(A);
    await after(0);
    expect(outcomes).toEqual(['account-a goes on', 'account-a goes on']);
  });

  it('waits for its own account and for others until usage is late by less than a second', async () => {
    await late(1_500);
    report(A);
    report(B);
    await fold('1');
    expect(outcomes).toEqual([]);
    await fold('2');
    expect(outcomes).toEqual(['account-a goes on', 'account-b goes on']);
  });

  it('takes turns with the reports of other accounts', async () => {
    await late(1_500);
    for (const account of [A, A, A, B]) report(account);
    await fold('2');
    expect(outcomes.map((outcome) => outcome.slice(0, A.length))).toEqual([A, A, B, A]);
  });

  it('is refused 8 s after its body was there, also behind a report that came later', async () => {
    await late(2_000);
    report(A);
    await after(1_000);
    report(B);
    for (let second = 1; second < 7; second += 1) {
      await after(1_000);
      await fold(`0${second}`);
    }
    await after(999);
    expect(outcomes).toEqual([]);
    await after(1);
    expect(outcomes).toEqual(['account-a usage-behind']);
    report(A, performance.now() - 9_000);
    await after(1);
    expect(outcomes.at(-1)).toBe('account-a usage-behind');
    await after(1_000);
    expect(outcomes).toHaveLength(3);
  });

  it('goes on once the read models have stood still for 5 s', async () => {
    await late(2_000);
    report(A);
    await after(4_500);
    expect(outcomes).toEqual([]);
    await after(750);
    expect(outcomes).toEqual(['account-a goes on']);
  });

  it('is refused while nothing is counted once there are 2,000,000 records, or 500,000 of its account', async () => {
    uncounted.set(A, 500_000).set(B, 499_999);
    report(A);
    await after(0);
    expect(outcomes.splice(0)).toEqual(['account-a goes on']);
    lag.noteEnd('1');
    await after(1_500);
    report(A);
    report(B);
    await after(0);
    expect(outcomes.splice(0).sort()).toEqual(['account-a usage-behind', 'account-b goes on']);
    uncounted.set('others', 1_000_001);
    report(B);
    await after(0);
    expect(outcomes).toEqual(['account-b usage-behind']);
  });

  it('waits for nothing if its account is parked, and may then have 500,000 records', async () => {
    parked = A;
    await late(2_000);
    uncounted.set('others', 2_000_000);
    report(A);
    await after(0);
    expect(outcomes.splice(0)).toEqual(['account-a goes on']);
    uncounted.set(A, 500_000);
    report(A);
    await after(0);
    expect(outcomes).toEqual(['account-a usage-behind']);
  });
});
