import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuditEvent } from '../../src/features/audit-trail/domain/audit-event.js';
import { WaitingReaders } from '../../src/features/audit-trail/waiting-readers.js';
import type { VerificationRecord } from '../../src/features/verification/verification.fields.js';
import { CLOCK, type Clock } from '../../src/kernel/clock.js';
import { type CreatedKey, createKey } from '../support/harness/api-keys.js';
import { latestCursor, readFeed } from '../support/harness/event-feed.js';
import { eventually } from '../support/harness/eventually.js';
import { reportUsage } from '../support/harness/report-usage.js';
import { accountOfEach, runningApp } from '../support/harness/running-app.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How long the clock of the service runs before its day is over. */
const LEFT_MS = 1_500;
/** How long verifications go on after it. */
const SOON_MS = 5_000;
const VERIFIERS = 8;
const USERS = ['ada', null];
const READERS = 4;

/** A verification, and the times of the service's clock around it. */
interface Seen extends Pick<VerificationRecord, 'code' | 'exceeded'> {
  readonly asked: number;
  readonly answered: number;
}

describe('a window of budgets that is over while keys are verified and readers wait', () => {
  const service = runningApp();
  const account = accountOfEach(service);
  let created: CreatedKey;
  /** The end of the window. The clock of the service stands before it until `begunAt` is set. */
  let midnight: number;
  let begunAt: number | undefined;

  const now = (): number =>
    midnight - LEFT_MS + (begunAt === undefined ? 0 : performance.now() - begunAt);

  beforeEach(async () => {
    midnight = (Math.floor(Date.now() / DAY_MS) + 2) * DAY_MS;
    begunAt = undefined;
    jest.spyOn(service.app.get<Clock>(CLOCK), 'now').mockImplementation(() => new Date(now()));
    const { client, defaultWorkspaceId } = account;
    created = await createKey(client);
    await client.put('/v1/end-users/ada', undefined);
    const daily = { limit_reset: 'daily' };
    await client.put(`/v1/workspaces/${defaultWorkspaceId}/budget`, { limit: 2, ...daily });
    await client.put('/v1/end-user-budget', { limit: 1, ...daily });
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const spend = (cost: number) =>
    reportUsage(account.client, { key_hash: created.data.hash, cost, user: 'ada' });

  /** Asks the budget of the end user, if one is named, and else that of the workspace. */
  async function verify(user: string | null): Promise<Seen> {
    const asked = now();
    const { status, body } = await account.client.post<{ data: VerificationRecord }>(
      '/v1/keys/verify',
      { key: created.key, user },
    );
    expect(status).toBe(200);
    const { code, exceeded } = body.data;
    return { asked, answered: now(), code, exceeded };
  }

  async function untilExceeded(): Promise<void> {
    for (const user of USERS) {
      await eventually(
        'it is exceeded',
        async () => (await verify(user)).code === 'LIMIT_EXCEEDED',
      );
    }
  }

  /** Reads the feed until it has so many events. */
  async function told(after: string, count: number): Promise<AuditEvent[]> {
    const events: AuditEvent[] = [];
    let cursor = after;
    while (events.length < count) {
      const { data, next_cursor } = await readFeed(account.client, `after=${cursor}&wait=20`);
      events.push(...data);
      cursor = next_cursor;
    }
    return events;
  }

  it('is over at once for each verification, and the next one tells what it reaches', async () => {
    const reached = 'action=workspace.limit-reached&action=end-user.limit-reached';
    const after = await latestCursor(account.client, reached);
    const readers = Array.from({ length: READERS }, () => told(after, 7));
    await eventually('all wait', () => service.app.get(WaitingReaders).count === READERS);
    await spend(2);
    await untilExceeded();
    await told(after, 4);
    begunAt = performance.now();
    const seen: Seen[] = [];
    const untilValid = async (_: unknown, index: number): Promise<void> => {
      for (let code = ''; code !== 'VALID' && now() < midnight + SOON_MS;) {
        const one = await verify(USERS[index % USERS.length] ?? null);
        seen.push(one);
        ({ code } = one);
      }
    };
    await Promise.all(Array.from({ length: VERIFIERS }, untilValid));
    const resets_at = new Date(midnight).toISOString();
    for (const { asked, answered, code, exceeded } of seen) {
      if (answered < midnight) expect(code).toBe('LIMIT_EXCEEDED');
      if (asked >= midnight) expect(code).toBe('VALID');
      if (code === 'VALID') expect(exceeded).toBeNull();
      else expect(exceeded).toMatchObject({ usage: 2, resets_at });
    }
    await spend(1.7);
    const eachEvent = (await Promise.all(readers)).map((events) => events.map(reachedIn).sort());
    const yesterday = new Date(midnight - DAY_MS).toISOString();
    for (const events of eachEvent) {
      expect(events).toEqual([
        `end-user 100 ${yesterday}`,
        `end-user 100 ${resets_at}`,
        `end-user 80 ${yesterday}`,
        `end-user 80 ${resets_at}`,
        `workspace 100 ${yesterday}`,
        `workspace 80 ${yesterday}`,
        `workspace 80 ${resets_at}`,
      ]);
    }
  });
});

function reachedIn({ target, changes }: AuditEvent): string {
  const { threshold, window_start } = Object.fromEntries(
    changes.map(({ field, after }) => [field, String(after)]),
  );
  return `${target.type} ${threshold} ${window_start}`;
}
