import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { logWith } from '../../../../test/support/specs/log-with.js';
import { metadataAt } from '../../../../test/support/specs/metadata-at.js';
import { EventRegistry } from '../../../event-sourcing/event-log/event-registry.js';
import { SqliteEventLog } from '../../../event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { Unavailable, Unreadable } from '../../../kernel/errors.js';
import type { Budget } from '../../budgets/domain/budget.js';
import { endUserId, endUserStream } from '../../end-users/domain/end-user.js';
import { type EndUserEvent, endUserEvents } from '../../end-users/domain/end-user.events.js';
import { EndUserMemory } from './end-user-memory.js';

const ADA = endUserStream(endUserId('org', 'ada'));
const DAILY: Budget = { limit: 5, limit_reset: 'daily', include_byok_in_limit: false };
const UNREGISTERED = { budget: null, isRegistered: false };

const data = { organization_id: 'org', user: 'ada' };
const registered: EndUserEvent = { type: 'EndUserRegistered', data };
const budgetSet: EndUserEvent = {
  type: 'EndUserBudgetSet',
  data: { ...data, budget: DAILY, previous_budget: null },
};
const budgetRemoved: EndUserEvent = {
  type: 'EndUserBudgetRemoved',
  data: { ...data, previous_budget: DAILY },
};

describe('the end users in memory', () => {
  const registry = new EventRegistry(endUserEvents);
  let log: SqliteEventLog;
  let memory: EndUserMemory;
  /** The streams that were read, in order. */
  let reads: string[];
  /** Runs after a stream was read, before the answer. */
  let meanwhile: (stream: string) => Promise<unknown>;

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    reads = [];
    meanwhile = () => Promise.resolve();
    const over = logWith(log, {
      async readStream(stream, from) {
        reads.push(stream);
        const page = await log.readStream(stream, from);
        await meanwhile(stream);
        return page;
      },
    });
    memory = new EndUserMemory(over, registry);
  });

  afterEach(() => log.close());

  async function happen(...events: EndUserEvent[]): Promise<void> {
    for (const event of events) {
      const { revision = -1 } = (await log.readStream(ADA, 0)).events.at(-1) ?? {};
      const stored = { id: randomUUID(), ...registry.encode(event), metadata: metadataAt(0) };
      await log.append(ADA, [stored], revision === -1 ? 'no-stream' : revision);
      memory.apply({ stream: ADA });
    }
  }

  async function ada(): Promise<unknown> {
    return memory.get(ADA) ?? (await memory.read('org', ADA));
  }

  it('are remembered, also that one does not exist or has no budget, until their stream changes', async () => {
    const steps = [
      [[], UNREGISTERED],
      [[registered], { budget: null, isRegistered: true }],
      [[budgetSet], { budget: DAILY, isRegistered: true }],
      [[budgetRemoved], { budget: null, isRegistered: true }],
    ] as const;
    for (const [events, found] of steps) {
      await happen(...events);
      for (let count = 0; count < 3; count += 1) expect(await ada()).toEqual(found);
      memory.apply({ stream: 'enduser-another' });
    }
    expect(reads).toEqual(steps.map(() => ADA));
    memory.forgetAll();
    expect(memory.get(ADA)).toBeUndefined();
  });

  it('are read again when they changed while they were read', async () => {
    await happen(registered);
    meanwhile = async () => {
      meanwhile = () => Promise.resolve();
      await happen(budgetSet);
    };
    const asked = [ada(), ada()];
    expect(await Promise.all(asked)).toEqual(
      asked.map(() => ({ budget: DAILY, isRegistered: true })),
    );
    expect(reads).toHaveLength(2);
    meanwhile = async () => {
      meanwhile = () => Promise.resolve();
      memory.forgetAll();
    };
    memory.apply({ stream: ADA });
    await ada();
    expect(reads).toHaveLength(4);
    await ada();
    expect(reads).toHaveLength(4);
  });

  it('are read 16 at a time, and accounts take turns', async () => {
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    meanwhile = () => begun;
    const invented = Array.from({ length: 100 }, (_, index) => `enduser-${index}`);
    const asked = invented.map((stream) => memory.read('enemy', stream));
    asked.push(memory.read('org', ADA));
    await eventually('the reads of the enemy begin', () => reads.length >= 16);
    expect(reads).toHaveLength(16);
    begin();
    await Promise.all(asked);
    expect(reads.indexOf(ADA)).toBeLessThanOrEqual(17);
  });

  it('are not remembered when they cannot be read', async () => {
    for (const error of [new Unavailable('event log', 'it is away')]) {
      meanwhile = () => Promise.reject(error);
      await expect(ada()).rejects.toThrow(error);
    }
    meanwhile = () => Promise.resolve();
    expect(await ada()).toEqual(UNREGISTERED);
    const newer = { id: randomUUID(), type: 'EndUserOfANewerBuild', version: 1, data };
    await log.append(ADA, [{ ...newer, metadata: metadataAt(0) }], 'no-stream');
    memory.apply({ stream: ADA });
    await expect(ada()).rejects.toThrow(Unreadable);
  });

  it('stay within their bound of bytes', async () => {
    const empty = { readStream: () => Promise.resolve({ events: [], more: false }) };
    memory = new EndUserMemory(logWith(log, empty), registry);
    for (let count = 0; count < 64_000; count += 1) await memory.read('enemy', `enduser-${count}`);
    expect(memory.get('enduser-63999')).toBeDefined();
    expect(memory.get('enduser-5000')).toBeDefined();
    expect(memory.get('enduser-0')).toBeUndefined();
  });
});
