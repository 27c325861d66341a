import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { namespaceOf } from '../../../src/event-sourcing/projections/generations.js';
import { keyStream } from '../../../src/features/keys/domain/key.js';
import { LEDGERS } from '../../../src/host/ledgers/ledgers.js';
import { hashKeyString, mintKeyString } from '../../../src/kernel/key-string.js';
import { eventually } from '../../support/harness/eventually.js';
import { keyCreated } from '../../support/histories/keys.js';
import {
  type AttackedService,
  type CreatedAccount,
  type Memory,
  ON_THE_FIRST_CORE,
  startAttacked,
} from './attacked-service.js';
import { type Hit, pump, shoot, type Shot } from './pump.js';
import { expectServed, type Seen, seenAround, seenDuring, type Victim } from './victim.js';
import { type History, withHistories } from './written-log.js';

/** How long each account reports. Longer runs show what a load of minutes does. */
const SECONDS = Number(process.env.ABUSE_SECONDS ?? 3);
/** The default rate of an account. */
const REPORTS_PER_SECOND = 100;
const KEYS_OF_ATTACKER = 12_000;
const KEYS_OF_REPORT = 500;
const RECORDS = 1_000;
/** How many requests of an account are in work at once. */
const PLACES = 64;
const DIFFERENT_BODIES = 24;
const PROBE_EVERY_MS = 30;
/** The hashes that a probe verifies once: those of its time, and those with which it begins. */
const KEYS_OF_PROBE = Math.ceil(((SECONDS + 15) * 1_000) / PROBE_EVERY_MS) + 200;
const PROBED_TIMES = 6;
/**
 * The highest p99 of a probe. On a machine that this rate alone keeps busy, twice its p99 beside as
 * many reports that all name the same keys.
 */
const MOST_P99_MS = 500;
const MOST_TIMES = 2;
/** The number of reports in each turn, in which end users are invented or not. */
const REPORTS_OF_A_TURN = 30;
const HELD_MS = 10_000;
/** How long a restart may take; on a slow machine, eight times one with nothing to count. */
const READY_WITHIN_MS = 8_000;
const READY_WITHIN_TIMES = 8;
/** More than all memory that there is for end users, who may be invented, or for 64 reports. */
const MOST_GROWTH = 48 * 1024 * 1024;

interface Probes {
  readonly warm: Seen;
  readonly cold: Seen;
  readonly pages: Seen;
}

describe('beside an account that reports usage at its default rate', () => {
  let service: AttackedService;
  let reported: string[];
  let unverified: string[];
  const keyInUse = mintKeyString('sk-v1-');
  const keyOfAttacker = mintKeyString('sk-v1-');
  let harmless: Probes;

  beforeAll(async () => {
    service = await startAttacked({ LOG_LEVEL: 'error' }, ON_THE_FIRST_CORE);
    reported = Array.from({ length: KEYS_OF_ATTACKER }, newHash);
    unverified = Array.from({ length: KEYS_OF_PROBE * PROBED_TIMES }, newHash);
    const ofAttacker = [hashKeyString(keyOfAttacker), ...reported];
    const ofVictim = [hashKeyString(keyInUse), ...unverified];
    service = await withHistories(service, [
      ...ofAttacker.map((hash) => created(service.attackerAccount, hash)),
      ...ofVictim.map((hash) => created(service.victimAccount, hash)),
    ]);
    // With a budget, the spending of each end user is read and kept in memory.
    const budget = { method: 'PUT', path: '/v1/end-user-budget', body: '{"limit":1000000}' };
    const set = await shoot(service.address, service.attacker.key, budget);
    expect(set.status).toBe(201);
    const alike = bodiesOf(KEYS_OF_REPORT, reported.slice(0, KEYS_OF_REPORT));
    harmless = await probed(() => report(alike));
    await settled();
  }, 240_000);

  afterAll(() => service.end());

  /**
   * Lets another account verify a key in memory, verify keys that are not, and read pages of keys.
   */
  async function probed(action: () => Promise<unknown>): Promise<Probes> {
    const victim: Victim = { ...service.victim, everyMs: PROBE_EVERY_MS };
    const verifiesOnce = unverified.splice(0, KEYS_OF_PROBE);
    let cold: Seen | undefined;
    let pages: Seen | undefined;
    const warm = await seenDuring({ ...victim, verifies: keyInUse }, async () => {
      cold = await seenDuring({ ...victim, verifiesOnce }, async () => {
        pages = await seenDuring({ ...victim, reads: '/v1/keys?limit=10' }, action);
      });
    });
    if (!cold || !pages) throw new Error('the probes did not end');
    return { warm, cold, pages };
  }

  function expectUnharmed(beside: string, seen: Probes): void {
    const p99s = (probes: Probes): Record<string, number> =>
      Object.fromEntries(
        Object.entries<Seen>({ ...probes }).map(([name, { p99 }]) => [name, Math.ceil(p99)]),
      );
    const line = { beside, harmless: p99s(harmless), seen: p99s(seen) };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    for (const name of ['warm', 'cold', 'pages'] as const) {
      const bound = Math.max(MOST_P99_MS, MOST_TIMES * harmless[name].p99);
      expect({ name, faults: seen[name].faults }).toEqual({ name, faults: [] });
      expect(seen[name].asked).toBeGreaterThan(SECONDS * 20);
      expect({ name, isServed: seen[name].p99 <= bound }).toEqual({ name, isServed: true });
    }
  }

  const created = ({ account_id, default_workspace_id }: CreatedAccount, hash: string): History => {
    const inAccount = { hash, account_id, workspace_id: default_workspace_id };
    const events = [keyCreated({ ...inAccount, limit: 1_000_000 })];
    return { account_id, stream: keyStream(hash), events };
  };

  /**
   * Sends reports at the default rate, whatever becomes of them. @returns the number of answers by
   * status.
   */
  async function report(
    bodies: readonly string[],
    total = SECONDS * REPORTS_PER_SECOND,
  ): Promise<Map<number, number>> {
    const { address, attacker } = service;
    const agent = new Agent({ keepAlive: true, maxSockets: PLACES });
    const statuses = new Map<number, number>();
    const count = ({ status }: Hit): unknown =>
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const answers: Promise<unknown>[] = [];
    const begun = performance.now();
    for (let sent = 0; sent < total; sent += 1) {
      const due = begun + (sent * 1_000) / REPORTS_PER_SECOND;
      await delay(Math.max(0, due - performance.now()));
      answers.push(shoot(address, attacker.key, shotOf(bodies, sent), agent).then(count));
    }
    await Promise.all(answers);
    agent.destroy();
    return statuses;
  }

  /**
   * Demands that reports were accepted, and that all others were refused because the read models
   * are behind.
   */
  function expectAccepted(statuses: Map<number, number>): void {
    process.stdout.write(`reports: ${JSON.stringify([...statuses])}\n`);
    expect(statuses.get(201)).toBeGreaterThan(0);
    expect([...statuses.keys()].filter((status) => status !== 201 && status !== 503)).toEqual([]);
  }

  /** Waits until the read models of usage have all that was reported. */
  async function settled(): Promise<void> {
    const { address, attacker } = service;
    const read = { path: '/v1/keys?limit=1' };
    await eventually(
      'the read models are up to date',
      async () =>
        (await shoot(address, attacker.key, read)).headers['keyledger-stale'] === undefined,
      120_000,
    );
  }

  it.each([
    [
      `reports of ${KEYS_OF_REPORT} of ${KEYS_OF_ATTACKER} keys`,
      () => bodiesOf(KEYS_OF_REPORT, reported),
    ],
    [`reports of ${RECORDS} keys that nobody has`, () => bodiesOf(RECORDS, unknownHashes())],
  ])(
    '%s leave another account alone',
    async (name, bodies) => {
      const sent = bodies();
      let statuses = new Map<number, number>();
      const before = await service.memory();
      let during = before;
      const seen = await probed(async () => {
        const reports = report(sent);
        await delay(SECONDS * 1_000);
        during = await service.memory();
        statuses = await reports;
      });
      expectAccepted(statuses);
      expectUnharmed(name, seen);
      expect(grown(before, during)).toBeLessThan(MOST_GROWTH);
      await settled();
    },
    240_000,
  );

  it(`${PLACES} reports at a time of ${RECORDS} keys in memory leave another account alone`, async () => {
    const inMemory = reported.slice(0, RECORDS);
    const verify = (index: number): Shot => {
      const body = JSON.stringify({ hash: inMemory[index] });
      return { method: 'POST', path: '/v1/keys/verify', body };
    };
    await pump(service.attacker, { total: RECORDS, atOnce: 16 }, verify);
    const bodies = bodiesOf(RECORDS, inMemory);
    const total = SECONDS * 40;
    let statuses = new Map<number, number>();
    const seen = await probed(async () => {
      statuses = await pump(service.attacker, { total, atOnce: PLACES }, (n) => shotOf(bodies, n));
    });
    expectAccepted(statuses);
    expectUnharmed(`${PLACES} reports at a time of ${RECORDS} keys in memory`, seen);
    await settled();
  }, 240_000);

  it('reports that invent end users leave another account alone like reports of 20 of them', async () => {
    const beside = (userOf: () => string) => async (): Promise<void> => {
      const bodies = bodiesOf(RECORDS, reported, userOf);
      expectAccepted(await report(bodies, REPORTS_OF_A_TURN));
      // Reports that are not yet in the read models would slow the next turn.
      await settled();
    };
    const victim = { ...service.victim, verifies: keyInUse, everyMs: PROBE_EVERY_MS };
    const { attack, harmless } = await seenAround(victim, {
      harmless: beside(() => `user-${randomInt(20)}`),
      attack: beside(randomUUID),
    });
    expectServed(attack, harmless);
  }, 240_000);

  it('end users who do not exist, in requests of a gateway, leave another account and memory alone', async () => {
    const before = await service.memory();
    let sent = 0;
    const storm = async (): Promise<void> => {
      const over = performance.now() + SECONDS * 1_000;
      const agent = new Agent({ keepAlive: true, maxSockets: PLACES });
      const ask = async (): Promise<void> => {
        while (performance.now() < over) {
          const { status } = await shoot(service.address, keyOfAttacker, named(), agent);
          expect(status).toBe(200);
          sent += 1;
        }
      };
      await Promise.all(Array.from({ length: PLACES }, ask));
      agent.destroy();
    };
    const named = (): Shot => ({
      path: '/v1/authorize/',
      headers: {
        'keyledger-authorization': `Bearer ${service.attacker.key}`,
        'keyledger-end-user': randomUUID(),
      },
    });
    const seen = await probed(storm);
    expect(sent).toBeGreaterThan(0);
    expect(grown(before, await service.memory())).toBeLessThan(MOST_GROWTH);
    expectUnharmed('end users who do not exist', seen);
  }, 240_000);

  it('a fold that is held for ten seconds leaves another account alone', async () => {
    const bodies = bodiesOf(KEYS_OF_REPORT, reported);
    const file = join(
      service.dataDir,
      'read-models',
      `${namespaceOf(LEDGERS.usage.readSide, 1)}.db`,
    );
    let statuses = new Map<number, number>();
    const seen = await probed(async () => {
      const other = new Database(file);
      other.exec('BEGIN IMMEDIATE');
      const reports = report(bodies);
      await delay(HELD_MS);
      other.close();
      statuses = await reports;
    });
    expectAccepted(statuses);
    expectUnharmed('a fold that is held', seen);
    await settled();
  }, 240_000);

  it('a restart right after many reports is ready within eight seconds', async () => {
    const restarted = async (): Promise<number> => {
      const begun = performance.now();
      service = await service.restart();
      return performance.now() - begun;
    };
    const counted = await restarted();
    expectAccepted(await report(bodiesOf(KEYS_OF_REPORT, reported)));
    const took = await restarted();
    process.stdout.write(`ready after ${took.toFixed(0)} ms (${counted.toFixed(0)} before)\n`);
    expect(took).toBeLessThan(Math.max(READY_WITHIN_MS, READY_WITHIN_TIMES * counted));
  }, 240_000);
});

/** Gives how much more memory is in use, in bytes. */
function grown(before: Memory, after: Memory): number {
  const bytes = after.heapUsed + after.external - before.heapUsed - before.external;
  process.stdout.write(`${(bytes / 1024 / 1024).toFixed(1)} MiB more\n`);
  return bytes;
}

function newHash(): string {
  return randomBytes(32).toString('hex');
}

function unknownHashes(): string[] {
  return Array.from({ length: DIFFERENT_BODIES * RECORDS }, newHash);
}

/** Gives bodies of reports that go round the hashes in turn. By default they name no users. */
function bodiesOf(
  records: number,
  hashes: readonly string[],
  userOf: () => string | undefined = () => undefined,
): string[] {
  return Array.from({ length: DIFFERENT_BODIES }, (_, report) => {
    const first = report * records;
    const hashAt = (record: number): string => hashes[(first + record) % hashes.length] ?? '';
    return JSON.stringify({
      records: Array.from({ length: records }, (_record, at) => ({
        key_hash: hashAt(at),
        cost: 0.001,
        user: userOf(),
      })),
    });
  });
}

function shotOf(bodies: readonly string[], number: number): Shot {
  const path = `/v1/usage-reports/${randomUUID()}`;
  return { method: 'PUT', path, body: bodies[number % bodies.length] ?? '' };
}
