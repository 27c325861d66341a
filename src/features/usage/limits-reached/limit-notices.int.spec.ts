import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { metadataAt } from '../../../../test/support/specs/metadata-at.js';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import type { RecordedEvent } from '../../../event-sourcing/event-log/event-log.js';
import { EventRegistry } from '../../../event-sourcing/event-log/event-registry.js';
import { eventsUpToHead } from '../../../event-sourcing/event-log/events-up-to-head.js';
import { SqliteEventLog } from '../../../event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { Unavailable } from '../../../kernel/errors.js';
import { START } from '../../../kernel/position.js';
import { type LimitReached, limitReached, limitReachedId } from '../domain/limit-reached.js';
import { limitReachedEvents } from '../domain/limit-reached.events.js';
import { LimitNotices } from './limit-notices.js';

const NOW = '2026-03-04T12:00:00.000Z';

function reachedBy(id: string, changes: Partial<LimitReached> = {}): LimitReached {
  return {
    accountId: 'account-1',
    subject: id,
    kind: 'key',
    id,
    threshold: 80,
    limit: 10,
    spent: 8_000_000_000n,
    limit_reset: null,
    window: null,
    ...changes,
  };
}

describe('what limits were reached', () => {
  let log: SqliteEventLog;
  let notices: LimitNotices;

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    notices = new LimitNotices(runner());
  });

  afterEach(async () => {
    notices.beforeApplicationShutdown();
    jest.restoreAllMocks();
    await log.close();
  });

  function runner(): DecisionRunner {
    return new DecisionRunner(log, new EventRegistry(limitReachedEvents), {
      now: () => new Date(NOW),
    });
  }

  async function stored(): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const batch of eventsUpToHead(log, START)) events.push(...batch.events);
    return events;
  }

  /** Waits for so many events, and gives the ids that they name, in the order of the log. */
  async function writtenIds(count: number): Promise<unknown[]> {
    const written = await eventually(`${count} events`, async () => {
      const events = await stored();
      return events.length >= count && events;
    });
    return written.map(({ data }) => (data as { id: string }).id);
  }

  it('is an event of the service itself, in a stream of its own', async () => {
    notices.add(reachedBy('a'), true);
    await writtenIds(1);
    expect(await stored()).toMatchObject([
      {
        stream: expect.stringMatching(/^limit-[0-9a-f]{64}$/) as unknown,
        revision: 0,
        type: 'ApiKeyLimitReached',
        data: { id: 'a', threshold: 80, limit: 10, spent: '8000000000', limit_reset: null },
        metadata: {
          occurred_at: NOW,
          actor: { type: 'system', id: 'limits', user_id: null },
          account_id: 'account-1',
          request_id: null,
        },
      },
    ]);
  });

  it('is stored once, whoever writes it and however often, and each writer counts its own', async () => {
    const others = [new LimitNotices(runner()), new LimitNotices(runner())];
    const counted: LimitReached[] = [];
    for (const writer of [notices, ...others]) {
      writer.observe((reached) => counted.push(reached));
      for (const id of ['a', 'b', 'a']) writer.add(reachedBy(id), true);
    }
    await writtenIds(2);
    notices.add(reachedBy('last'), true);
    expect((await writtenIds(3)).sort()).toEqual(['a', 'b', 'last']);
    expect(counted.map(({ id }) => id).sort()).toEqual(['a', 'b', 'last']);
  });

  it('is not tried again where a newer build has stored it', async () => {
    const lines = jest.spyOn(Logger.prototype, 'error');
    const reached = reachedBy('a');
    const stored = { id: randomUUID(), type: 'ApiKeyLimitReached', version: 99, data: {} };
    const stream = limitReached.streamOf(limitReachedId(reached));
    await log.append(stream, [{ ...stored, metadata: { ...metadataAt(0) } }], 'no-stream');
    notices.add(reached, true);
    notices.add(reachedBy('b'), false);
    expect((await writtenIds(2)).slice(1)).toEqual(['b']);
    expect(lines).not.toHaveBeenCalled();
  });

  it('is written in the order of its rank: what reports cause before what reads find, and then workspaces, end users, keys', async () => {
    const wanted = ['w1', 'w2', 'u', 'k', 'read w', 'read u', 'read k'];
    const kindOf = (name: string) =>
      name.includes('w') ? 'workspace' : name.includes('u') ? 'end-user' : 'key';
    for (const name of ['read k', 'read u', 'read w', 'k', 'u', 'w1', 'w2'])
      notices.add(reachedBy(name, { kind: kindOf(name) }), !name.startsWith('read'));
    expect(await writtenIds(wanted.length)).toEqual(wanted);
  });

  it('of an account is written at most 10 times a second, and others do not wait for it', async () => {
    const began = performance.now();
    for (let count = 0; count < 12; count++) notices.add(reachedBy(`busy ${count}`), true);
    await writtenIds(3);
    notices.add(reachedBy('calm', { accountId: 'account-2' }), true);
    expect((await writtenIds(5)).slice(3)).toContain('calm');
    await writtenIds(13);
    // The first is written at once.
    expect(performance.now() - began).toBeGreaterThan(1_090);
  });

  it('is written by 4 appends at once, in which accounts take turns', async () => {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    notices = new LimitNotices({
      run: ({ accountId }) => {
        begun.push(accountId);
        return new Promise((resolve) =>
          ends.push(() => resolve({ state: true as never, revision: 0, position: '1' })),
        );
      },
    });
    const accounts = Array.from({ length: 9 }, (_, index) => `account-${index}`);
    for (const accountId of accounts)
      for (const id of ['a', 'b']) notices.add(reachedBy(accountId + id, { accountId }), true);
    for (let done = 4; done <= accounts.length; done++) {
      await eventually(`${done} appends`, () => begun.length === done);
      expect(new Set(begun).size).toBe(done);
      ends.shift()?.();
    }
  });

  it('is tried again until it is stored, behind the others of the account, and one line of the log output says so', async () => {
    const lines = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const working = runner();
    let isLost = true;
    notices = new LimitNotices({
      run: (decision) => {
        const lost = (): Promise<never> => Promise.reject(new Unavailable('event log', 'gone'));
        return isLost ? lost() : working.run(decision);
      },
    });
    for (const id of ['a', 'b']) notices.add(reachedBy(id), true);
    notices.add(reachedBy('c', { accountId: 'account-2' }), true);
    await eventually('a failure', () => lines.mock.calls.length > 0);
    isLost = false;
    const ids = await writtenIds(3);
    expect(ids.indexOf('b')).toBeLessThan(ids.indexOf('a'));
    expect(lines).toHaveBeenCalledTimes(1);
  });

  it('is not written once it is forgotten, nor beyond 4 times of a subject, nor after the stop', async () => {
    for (const limit of [1, 2, 3, 4, 5, 6]) notices.add(reachedBy('changed', { limit }), true);
    notices.add(reachedBy('forgotten'), true);
    notices.forget('account-1', 'forgotten');
    notices.add(reachedBy('last'), true);
    expect((await writtenIds(5)).slice(4)).toEqual(['last']);
    const limits = (await stored()).map(({ data }) => (data as { limit: number }).limit);
    expect(limits).toEqual([3, 4, 5, 6, 10]);
    notices.add(reachedBy('too late', { accountId: 'account-2' }), true);
    notices.beforeApplicationShutdown();
    notices = new LimitNotices(runner());
    for (const id of ['a', 'b']) notices.add(reachedBy(id), true);
    expect((await writtenIds(7)).slice(5)).toEqual(['a', 'b']);
  });
});
