import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { hashOf, recordOf } from '../../../test/support/histories/usage.js';
import { atOnce } from '../../../test/support/specs/at-once.js';
import { recordedInOrder } from '../../../test/support/specs/document-table.js';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { encodeAppend } from '../../event-sourcing/event-log/eventstoredb/stored-form.js';
import { EventRegistry } from '../../event-sourcing/event-log/event-registry.js';
import { SqliteEventLog } from '../../event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { fold, type Folding } from '../../event-sourcing/projections/fold.js';
import { usage } from '../../host/ledgers/usage.js';
import { Refusal } from '../../kernel/errors.js';
import { sizeOf } from '../../kernel/sizes.js';
import type { Origin } from '../../kernel/metadata.js';
import { KeyFacts } from '../keys/published/key-facts.js';
import { type SubjectUsage, withUsage } from './domain/subject-usage.js';
import type { Reported } from './domain/usage.events.js';
import { usageEvents } from './domain/usage.events.js';
import type { UsageRecord } from './domain/usage-record.js';
import { usageReport, usageReportId } from './domain/accepted-once.js';
import type { ReportAdmission } from './report-admission.js';
import { ReportTurns } from './report-turns.js';
import { KeyAttribution } from './key-attribution.js';
import { MOST_RECORDS, readRecords } from './usage-report-body.js';
import { type ReportAnswer, ReportUsage, ReportUsageHandler } from './usage-reports.commands.js';
import { REPORT_LIMIT_BYTES } from './usage-reports.controller.js';

const ACCOUNT = '11111111-1111-4111-8111-111111111111';
const REPORT = '01976f6e-0000-7000-8000-000000000001';
const OTHER_REPORT = '01976f6e-0000-7000-8000-000000000002';
const WORKSPACE = '22222222-2222-4222-8222-222222222222';
const DAY_MS = 86_400_000;
const MORE_THAN_KEPT_DAYS = 100;
const unknown = hashOf('f');

const origin: Origin = {
  actor: { type: 'management-key', id: hashOf('0'), user_id: 'ada' },
  requestId: 'request-1',
};

describe('a reported usage', () => {
  let log: SqliteEventLog;
  let runner: DecisionRunner;
  let handler: ReportUsageHandler;
  let now: Date;
  let looked: number;
  /** Gives the workspace of the key at a place of a report. */
  let workspaceOf: (index: number) => string;
  let turns: ReportTurns;
  let admit: jest.Mock<ReportAdmission['admit']>;

  beforeEach(() => {
    now = new Date('2026-03-08T23:59:59.999Z');
    looked = 0;
    workspaceOf = () => WORKSPACE;
    log = new SqliteEventLog(':memory:');
    const clock = { now: () => now };
    runner = new DecisionRunner(log, new EventRegistry(usageEvents), clock);
    const memory = {
      keysOf(_: string, hashes: readonly string[]) {
        looked += 1;
        const own = hashes.filter((hash) => hash !== unknown);
        const keys = own.map((hash, index) => {
          return [hash, { hash, workspace_id: workspaceOf(index), external_user: null }] as const;
        });
        return Promise.resolve(new Map(keys));
      },
    };
    const keys = new KeyAttribution(memory, memory, new KeyFacts(runner));
    turns = new ReportTurns();
    admit = jest.fn(() => Promise.resolve());
    handler = handlerOf(runner, keys);
  });

  afterEach(() => log.close());

  function handlerOf(itsRunner: DecisionRunner, keys: KeyAttribution): ReportUsageHandler {
    return new ReportUsageHandler(itsRunner, { admit }, turns, keys, { now: () => now });
  }

  const report = (records: readonly UsageRecord[], from = handler): Promise<ReportAnswer> =>
    from.execute(new ReportUsage(ACCOUNT, REPORT, records, origin, 7));

  async function stored(id = REPORT): Promise<{ data: Reported; occurred_at: unknown }[]> {
    const stream = usageReport.streamOf(usageReportId(ACCOUNT, id));
    const { events } = await log.readStream(stream);
    return events.map(({ data, metadata }) => ({
      data: data as Reported,
      occurred_at: metadata['occurred_at'],
    }));
  }

  it('is stored once, and the same report gets the same answer', async () => {
    const records = [recordOf(), recordOf({ key_hash: unknown })];
    const first = await report(records);
    expect(first).toMatchObject({ isNew: true, report: { accepted: 2, unattributed: [unknown] } });
    expect(await report(records)).toEqual({ ...first, isNew: false });
    await expect(report([recordOf()])).rejects.toMatchObject({ code: 'usage-report-differs' });
    expect(await stored()).toHaveLength(1);
  });

  it('counts records without a time at the time of its event, which is that of its first attempt', async () => {
    const append = log.append.bind(log);
    jest.spyOn(log, 'append').mockImplementationOnce(async (...args) => {
      now = new Date('2026-03-09T00:00:00.000Z');
      return append(...args);
    });
    await report([recordOf()]);
    const at = '2026-03-08T23:59:59.999Z';
    expect(await stored()).toMatchObject([
      {
        occurred_at: at,
        data: { keys: [{ last_used_at: at }], sums: [{ day: '2026-03-08' }] },
      },
    ]);
  });

  it('is answered from what was stored when it has become too old, and looks no key up', async () => {
    const records = [recordOf({ occurred_at: now.toISOString() })];
    await report(records);
    now = new Date(now.getTime() + 36 * DAY_MS);
    looked = 0;
    expect(await report(records)).toMatchObject({ isNew: false });
    await expect(report([recordOf()])).rejects.toMatchObject({ code: 'usage-report-differs' });
    expect(looked).toBe(0);
  });

  it('is refused for its age before a key is looked up, and nothing is stored', async () => {
    const old = recordOf({ occurred_at: '2026-01-01T00:00:00.000Z' });
    await expect(report([recordOf(), old])).rejects.toMatchObject({
      code: 'occurred-at-out-of-range',
      details: { issues: [{ path: 'records.1.occurred_at' }] },
    });
    expect(looked).toBe(0);
    expect(await stored()).toEqual([]);
  });

  it('waits for usage that is counted late before a key is looked up, and a repeat does not', async () => {
    await report([recordOf()]);
    expect(admit.mock.calls).toEqual([[ACCOUNT, 7]]);
    looked = 0;
    admit.mockRejectedValue(new Refusal('usage-behind'));
    expect(await report([recordOf()])).toMatchObject({ isNew: false });
    await expect(report([recordOf({ cost: 2n })])).rejects.toThrow('usage-report-differs');
    expect(admit).toHaveBeenCalledTimes(1);
    const other = new ReportUsage(ACCOUNT, OTHER_REPORT, [recordOf()], origin, 7);
    await expect(handler.execute(other)).rejects.toThrow('usage-behind');
    expect(looked).toBe(0);
    expect(await stored(OTHER_REPORT)).toEqual([]);
  });

  it.each([
    ['the same report', recordOf(), false],
    ['another one', recordOf({ cost: 2n }), 'usage-report-differs'],
  ])('that loses the append to %s answers what was stored', async (_, winner, expected) => {
    const elsewhere = new DecisionRunner(log, new EventRegistry(usageEvents), { now: () => now });
    const memory = {
      async keysOf() {
        if (looked++ === 0) await report([winner], winning);
        const hash = hashOf('a');
        return new Map([[hash, { hash, workspace_id: WORKSPACE, external_user: null }]]);
      },
    };
    const keys = new KeyAttribution(memory, memory, new KeyFacts(runner));
    const winning = handlerOf(elsewhere, keys);
    const losing = report([recordOf()], handlerOf(runner, keys));
    const outcome = losing.then(
      ({ isNew }) => isNew,
      (error: unknown) => (error instanceof Refusal ? error.code : error),
    );
    expect(await outcome).toBe(expected);
    expect(await stored()).toHaveLength(1);
  });

  it('is told of once, with its sums', async () => {
    const told = jest.fn();
    handler.observe(told);
    const records = [
      recordOf({ cost: 3n, byok_cost: 5n }),
      recordOf({ key_hash: unknown, cost: 4n, requests: 7 }),
    ];
    await report(records);
    await report(records);
    await report([recordOf()]).catch(() => undefined);
    const sums = [expect.objectContaining({ usage: '3', byok_usage: '5' })];
    const unattributed_sums = [expect.objectContaining({ usage: '4', requests: '7' })];
    expect(told.mock.calls).toEqual([[expect.objectContaining({ sums, unattributed_sums })]]);
  });

  it.each([
    ['escaped characters', '\\"', 1],
    ['control characters', '\\u0001', 1],
    ['plain characters', 'x', 1],
    ['characters of four bytes', '🔑', 1],
    // A transaction of MongoDB holds 16 MB, with what frames the documents.
    ['plain characters and keys in as many workspaces', 'x', 1_000],
  ])(
    'of the greatest size, with users of %s, fits into one append and into one batch of the fold',
    async (_, character, workspaces) => {
      workspaceOf = (index) => `${WORKSPACE.slice(0, -4)}${1_000 + (index % workspaces)}`;
      const body = greatestBody(character);
      const appends = jest.spyOn(log, 'append');
      const requestId = '"'.repeat(128);
      const actor = { ...origin.actor, user_id: '\u0001'.repeat(512) } as Origin['actor'];
      const trace = { trace_id: 'a'.repeat(32), span_id: 'a'.repeat(16) };
      const records = atOnce(readRecords(JSON.parse(body)));
      const longest = { actor, requestId, trace };
      const command = new ReportUsage(ACCOUNT, REPORT, records, longest, 0);
      expect((await handler.execute(command)).report.accepted).toBe(MOST_RECORDS);
      const [[, events] = ['', []]] = appends.mock.calls;
      const data = events[0]?.data as Reported;
      expect(data.sums).toHaveLength(MOST_RECORDS);
      expect(() => encodeAppend(events)).not.toThrow();
      const most = workspaces === 1 ? 10_000_000 : 14_000_000;
      expect(await bytesFolded(data)).toBeLessThan(most);
    },
  );
});

/** Gives how many bytes the fold of a report changes, when its subjects were used before. */
async function bytesFolded(data: Reported): Promise<number> {
  const { name, evolve } = usage.readSide;
  const folding: Folding = { name, evolve: (...args) => evolve(...args, () => false) };
  const used = { ...mostUsage() };
  const getMany = async (collection: string, keys: readonly string[]) =>
    new Map(collection === 'subject_usage' ? keys.map((key) => [key, used]) : []);
  const changes = await fold(folding, recordedInOrder([{ type: 'UsageReported', data }]), {
    getMany,
  });
  return changes.reduce((sum, { key, document }) => sum + key.length + sizeOf(document), 0);
}

/** Gives the use of a subject that was used on the most days, for as much as a record may say. */
function mostUsage(): SubjectUsage {
  const amounts = {
    usage: String(10n ** 15n),
    byok_usage: String(10n ** 15n),
    requests: '1000000',
  };
  const days = Array.from({ length: MORE_THAN_KEPT_DAYS }, (_, ago) => {
    const time = Date.parse('2026-03-08') - ago * DAY_MS;
    return { day: new Date(time).toISOString().slice(0, 10), ...amounts };
  });
  return withUsage(undefined, {
    subject: '',
    user: null,
    days,
    last_used_at: '2026-03-08T23:59:59.999Z',
  });
}

/**
 * Makes the body of a report that becomes the largest event: the most records, each of a key and a
 * user of its own, in the shortest form of what an event says at length.
 * @param character the only character in the names of users, as a body contains it.
 */
function greatestBody(character: string): string {
  const bodyWith = (characters: number): string => {
    const records = Array.from({ length: MOST_RECORDS }, (_, index) => {
      const number = String(index).padStart(64, '0');
      const user = index.toString(36) + character.repeat(characters);
      return `{"key_hash":"${number}","cost":1e6,"byok_cost":1e6,"requests":1e6,"user":"${user}"}`;
    });
    return `{"records":[${records.join()}]}`;
  };
  const fits = (characters: number): boolean =>
    Buffer.byteLength(bodyWith(characters)) <= REPORT_LIMIT_BYTES;
  let characters = 1;
  while (characters < 509 && fits(characters + 1)) characters += 1;
  return bodyWith(characters);
}
