import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createKey } from '../../support/harness/api-keys.js';
import { createGatewayKey } from '../../support/harness/management-keys.js';
import { eventually } from '../../support/harness/eventually.js';
import { UNKNOWN_HASH } from '../../support/harness/forms.js';
import { madeBy } from '../../support/harness/made-by.js';
import { runningApp } from '../../support/harness/running-app.js';
import { directoryOfEach } from '../../support/harness/stage.js';
import { describeEachExample, environmentOf } from './examples.js';
import { type RunningReporter, startReporter } from './running-reporter.js';
import { refused, type ScriptedAnswer, startScriptedAnswers } from './scripted-answers.js';

const WITHIN_MS = 20_000;

/** Makes records that are told apart by their cost: 1, 2, 3 … */
function records(count: number, first = 1): { key_hash: string; cost: number }[] {
  return Array.from({ length: count }, (_, index) => ({
    key_hash: UNKNOWN_HASH,
    cost: first + index,
  }));
}

describeEachExample('the reporter', (example) => {
  const started: RunningReporter[] = [];

  // Before the directory goes.
  afterEach(async () => {
    for (const reporter of started.splice(0)) await reporter.crash();
  });

  const directory = directoryOfEach();

  async function start(ADDRESS: string, KEY = 'a-key'): Promise<RunningReporter> {
    const reporter = await startReporter(example, directory.path, { ADDRESS, KEY });
    started.push(reporter);
    return reporter;
  }

  it.each(['', undefined])('does not let a process start with the key %j', (KEY) => {
    const { status, stderr } = spawnSync(example.program, [example.api], {
      cwd: directory.path,
      env: environmentOf(KEY === undefined ? {} : { KEY }),
      encoding: 'utf8',
      timeout: WITHIN_MS,
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining('KEY is empty'),
    });
  });

  describe('with Keyledger', () => {
    const service = runningApp();
    let hash: string;

    beforeEach(async () => {
      hash = (await createKey(service.client)).data.hash;
    });

    async function usage(): Promise<number> {
      const { body } = await service.client.get<{ data: { usage: number } }>(`/v1/keys/${hash}`);
      return body.data.usage;
    }

    /**
     * Reports records of 1 USD of the key that differ in some fields, and waits until so much is
     * charged.
     */
    async function reported(
      charged: number,
      ...differing: readonly object[]
    ): Promise<RunningReporter> {
      const reporter = await start(service.address, await createGatewayKey(service.client));
      await reporter.report(...differing.map((fields) => ({ key_hash: hash, cost: 1, ...fields })));
      await eventually('all is charged', async () => (await usage()) === charged, WITHIN_MS);
      return reporter;
    }

    it('charges all other records of a report with bad ones, and says which', async () => {
      const good = Array.from({ length: 997 }, () => ({}));
      const reporter = await reported(
        997,
        { user: ' x' },
        ...good,
        { cost: NaN },
        { key_hash: '' },
      );
      expect(reporter.lines()).toEqual([
        expect.stringMatching(/^Usage reports: 400 request-invalid: .*records\.0\.user/),
      ]);
    });

    it('charges the other records of a report that is nested too deep', async () => {
      const deep = JSON.parse('['.repeat(40) + ']'.repeat(40)) as object;
      await reported(9, ...Array.from({ length: 9 }, () => ({})), { user: deep });
    });

    it('charges what a clock puts too far ahead or back', async () => {
      const ahead = new Date(Date.now() + 6 * 60_000).toISOString();
      const ago = new Date(Date.now() - 36 * 86_400_000).toISOString();
      const reporter = await reported(3, { occurred_at: ahead }, {}, { occurred_at: ago });
      expect(reporter.lines()).toEqual([expect.stringContaining('400 occurred-at-out-of-range')]);
    });

    it('cuts a report that is too large in two', async () => {
      const user = (index: number): string => String(index).padEnd(400, 'x');
      await reported(
        1_000,
        ...Array.from({ length: 1_000 }, (_, index) => ({ user: user(index) })),
      );
    });

    it('says once which usage is charged to nobody', async () => {
      const reporter = await reported(1, { key_hash: UNKNOWN_HASH }, {});
      await reporter.report({ key_hash: UNKNOWN_HASH, cost: 1 }, { key_hash: hash, cost: 1 });
      await eventually('the second report', async () => (await usage()) === 2, WITHIN_MS);
      expect(reporter.lines()).toEqual([expect.stringContaining(UNKNOWN_HASH)]);
    });

    it('says once that its key is wrong', async () => {
      const reporter = await start(service.address, 'mk-v1-wrong');
      for (let report = 0; report < 2; report++) await reporter.report(...records(1));
      const said = (): boolean => reporter.lines().length > 0;
      await eventually('a line', said, WITHIN_MS);
      expect(reporter.lines()).toEqual(['Usage reports: 401 key-invalid: "Invalid API key"']);
    });
  });

  describe('with answers as they come', () => {
    const keyledger = madeBy(beforeEach, startScriptedAnswers);
    let reporter: RunningReporter;

    beforeEach(async () => {
      reporter = await start(keyledger.address);
    });

    afterEach(() => keyledger.stop());

    async function whenSent(count: number): Promise<void> {
      const sent = (): boolean => keyledger.sent.length >= count;
      await eventually(`${count} reports`, sent, WITHIN_MS);
    }

    function costs(): unknown[] {
      return keyledger.sent.map((report) => report.records.map(({ cost }) => cost));
    }

    /** Has a report answered so, and then another one. @returns the ids of what was sent. */
    async function reportTwice(...answers: ScriptedAnswer[]): Promise<string[]> {
      keyledger.answers.push(...answers);
      await reporter.report(...records(1));
      await whenSent(Math.max(answers.length, 1));
      await reporter.report(...records(1, 2));
      const last = (): boolean => costs().at(-1)?.toString() === '2';
      await eventually('the second report', last, WITHIN_MS);
      return keyledger.sent.map(({ id }) => id);
    }

    it.each([
      [400, 'request-invalid'],
      [401, 'key-invalid'],
      [403, 'not-a-management-key'],
      [404, 'route-unknown'],
      [409, 'usage-report-differs'],
      [413, 'body-too-large'],
    ])('gives up a report for %i %s with one line, and goes on', async (status, reason) => {
      const [first, second] = await reportTwice(refused(status, reason));
      expect(costs()).toEqual([[1], [2]]);
      expect(first).not.toBe(second);
      expect(reporter.lines()).toEqual([`Usage reports: ${status} ${reason}: "No"`]);
    });

    it.each<[string, ScriptedAnswer, number]>([
      ['429', { ...refused(429, 'rate-limited'), retryAfter: '7' }, 7_000],
      ['503', { ...refused(503, 'usage-behind'), retryAfter: '2' }, 2_000],
      ['503 for a month', { status: 503, body: '', retryAfter: '2592000' }, 3_600_000],
      ['500', refused(500, 'internal-error'), 1_000],
      ['408', refused(408, 'body-timeout'), 1_000],
      ['a page of a proxy', { status: 502, body: '<html>' }, 1_000],
      ['a page in place of an answer', { status: 200, body: '<html>' }, 1_000],
      ['no object', { status: 201, body: 'null' }, 1_000],
      [
        'an error of another form',
        { status: 400, body: { error: { metadata: { issues: 1 } } } },
        1_000,
      ],
      ['a reset', 'broken', 1_000],
      ['15 s of silence', 'silent', 1_000],
    ])('repeats a report after %s, under its id', async (_, answer, waited) => {
      const [first, again, second] = await reportTwice(answer);
      expect(costs()).toEqual([[1], [1], [2]]);
      expect(again).toBe(first);
      expect(second).not.toBe(first);
      expect(reporter.waits()).toEqual(new Set([1_000, waited]));
      expect(reporter.expectsAnswerWithin()).toEqual(new Set([15_000]));
      expect(reporter.lines()).toHaveLength(1);
    });

    it('gives up records that are too large even alone, and no other', async () => {
      const tooLarge = refused(413, 'body-too-large');
      keyledger.answers.push(tooLarge, tooLarge, tooLarge);
      await reporter.report(...records(4));
      await whenSent(5);
      expect(costs()).toEqual([[1, 2, 3, 4], [1, 2], [1], [2], [3, 4]]);
      expect(new Set(keyledger.sent.map(({ id }) => id)).size).toBe(3);
    });

    it('gives a record up whose time is refused although it has none', async () => {
      const early = refused(400, 'occurred-at-out-of-range', 'records.0.occurred_at');
      await reportTwice(early, early);
      expect(costs()).toEqual([[1], [1], [2]]);
    });

    it('lets what is no record do no harm to the process and to other records', async () => {
      await reporter.report('no records', ...records(1));
      await whenSent(1);
      expect(costs()).toEqual([[1]]);
      expect(reporter.lines()).toHaveLength(1);
      expect(reporter.isRunning()).toBe(true);
    });

    it('drops the oldest beyond 100,000 records, and says so', async () => {
      keyledger.answers.push(...Array.from({ length: 100 }, () => 'silent' as const));
      await reporter.report(...records(1));
      await whenSent(1);
      const count = 101_000;
      await reporter.report(...records(count, 2));
      keyledger.answers.splice(0);
      const newest = (): boolean => keyledger.sent.at(-1)?.records.at(-1)?.cost === count + 1;
      await eventually('the newest', newest, WITHIN_MS);
      const kept = new Set(costs().flat());
      expect(kept.size).toBeLessThanOrEqual(100_000);
      expect(kept.size).toBeGreaterThan(96_000);
      expect(kept.has(2)).toBe(false);
      expect(reporter.lines()).toContain('Usage reports: too many, dropped the oldest: 1000');
    });

    it('goes on after a crash with the report that was not answered, as it was', async () => {
      keyledger.answers.push(refused(413, 'body-too-large'), 'silent');
      await reporter.report(...records(3));
      await whenSent(2);
      await reporter.crash();
      reporter = await start(keyledger.address);
      await whenSent(4);
      expect(costs()).toEqual([[1, 2, 3], [1], [1], [2, 3]]);
      const [, before, after] = keyledger.sent;
      expect(after).toEqual(before);
    });

    it.each(['{', '{}', 'null'])(
      'says that a file with %s is lost, and reports all the same',
      async (text) => {
        await reporter.crash();
        writeFileSync(join(directory.path, 'unanswered.json'), text);
        reporter = await start(keyledger.address);
        await reportTwice();
        expect(costs()).toEqual([[1], [2]]);
        expect(reporter.lines()).toEqual([expect.stringMatching(/^Usage reports: lost: /)]);
      },
    );

    it('says that nothing can be stored, and reports all the same', async () => {
      mkdirSync(join(directory.path, 'unanswered.json.new'));
      await reportTwice();
      expect(costs()).toEqual([[1], [2]]);
      expect(reporter.lines()).toEqual([
        expect.stringMatching(/^Usage reports: not stored: ".*directory/),
      ]);
    });
  });
});
