import { beforeEach, describe, expect, it } from '@jest/globals';
import { keyCreated } from '../../../test/support/histories/keys.js';
import { metadataAt } from '../../../test/support/specs/metadata-at.js';
import { Unavailable } from '../../kernel/errors.js';
import type { Budget } from '../budgets/domain/budget.js';
import { endUserId, endUserStream } from '../end-users/domain/end-user.js';
import { evolveKey, type Key } from '../keys/domain/key.js';
import type { KeyBudgets } from './known-keys/known-budgets.js';
import type { KnownEndUser } from './known-keys/end-user-memory.js';
import type { KnownApiKey } from './known-keys/known-keys.js';
import type { Verification } from './verification.fields.js';
import { Verifier } from './verifier.js';

const USD = 1_000_000_000n;
const NOON = new Date('2026-03-04T12:00:00.000Z');
const KEY = evolveKey(null, { ...keyCreated({ hash: 'a' }), metadata: metadataAt(0) }) as Key;
const ADA = endUserStream(endUserId(KEY.account_id, 'ada'));

function budgetOf(limit: number): Budget {
  return { limit, limit_reset: 'daily', include_byok_in_limit: false };
}

describe('the limits of a use', () => {
  let key: Partial<Key>;
  let accountKind: KnownApiKey['accountKind'];
  let budgets: KeyBudgets;
  let users: Map<string, KnownEndUser>;
  let spent: Map<string, bigint>;
  /** What was asked about, in order: users by their streams, and then subjects. */
  let asked: string[];
  let isUsageAway: boolean;
  let areUsersAway: boolean;

  beforeEach(() => {
    key = { limit: null };
    accountKind = 'organization';
    budgets = { workspace: null, endUser: null };
    users = new Map();
    spent = new Map();
    asked = [];
    isUsageAway = false;
    areUsersAway = false;
  });

  function verified(user?: string): Promise<Verification> {
    const known: KnownApiKey = {
      kind: 'api',
      key: { ...KEY, ...key },
      accountKind,
      defaultWorkspaceId: 'home',
      cursorSecret: 'secret',
      budgets: null,
      epoch: 0,
    };
    const verifier = new Verifier(
      { findApiKey: () => Promise.resolve(known), budgetsOf: () => budgets },
      {
        get: (stream) => users.get(stream),
        async read(_, stream) {
          asked.push(`user ${stream === ADA ? 'ada' : 'another'}`);
          if (areUsersAway) throw new Unavailable('event log', 'it is away');
          return { budget: null, isRegistered: false };
        },
      },
      {
        async spentBy(_, subject) {
          asked.push(subject === ADA ? 'ada' : subject);
          if (isUsageAway) throw new Unavailable('usage log', 'it is away');
          return (spent.get(subject) ?? 0n) * USD;
        },
      },
      { now: () => NOON },
      { eachRequest: true, maxStalenessMs: 0 },
    );
    const question = { accountId: KEY.account_id, asked: { hash: 'a' }, user, askedAt: 0 };
    return verifier.verify(question);
  }

  it('are asked about in order: key, end user, workspace', async () => {
    key = { limit: 1 };
    users.set(ADA, { budget: budgetOf(2), isRegistered: true });
    budgets = { workspace: budgetOf(3), endUser: budgetOf(0) };
    expect(await verified('ada')).toMatchObject({
      code: 'VALID',
      limits: [
        { scope: 'key', limit: 1, limit_reset: null },
        { scope: 'end-user', limit: 2, limit_reset: 'daily' },
        { scope: 'workspace', limit: 3, limit_reset: 'daily' },
      ],
    });
    expect(asked).toEqual(['a', 'ada', KEY.workspace_id]);
  });

  it.each([
    ['a', 'key', ['a']],
    [ADA, 'end-user', ['a', 'user ada', 'ada']],
    [KEY.workspace_id, 'workspace', ['a', 'user ada', 'ada', KEY.workspace_id]],
  ])('are asked about up to the first that is used up: %s', async (subject, scope, before) => {
    key = { limit: 5 };
    budgets = { workspace: budgetOf(5), endUser: budgetOf(5) };
    spent.set(subject, 5n);
    const { code, limits } = await verified('ada');
    expect(code).toBe('LIMIT_EXCEEDED');
    expect(limits.at(-1)).toMatchObject({ scope, spent: 5n * USD });
    expect(asked).toEqual(before);
  });

  it('are those of the user for whom the key was made, whoever is named', async () => {
    budgets = { workspace: null, endUser: budgetOf(5) };
    key = { limit: null, external_user: 'ada' };
    for (const named of ['bob', undefined]) {
      asked = [];
      await verified(named);
      expect(asked).toEqual(['user ada', 'ada']);
    }
  });

  it('have no end user where none is named, and none in an individual account', async () => {
    budgets = { workspace: null, endUser: budgetOf(0) };
    expect(await verified()).toMatchObject({ code: 'VALID', limits: [] });
    accountKind = 'individual';
    for (const external_user of [null, 'ada']) {
      key = { limit: null, external_user };
      expect(await verified('ada')).toMatchObject({ code: 'VALID', limits: [] });
    }
    expect(asked).toEqual([]);
  });

  it('are the common budget only for a user without one of their own', async () => {
    budgets = { workspace: null, endUser: budgetOf(1) };
    spent.set(ADA, 2n);
    expect(await verified('ada')).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    users.set(ADA, { budget: budgetOf(3), isRegistered: true });
    expect(await verified('ada')).toMatchObject({ code: 'VALID', limits: [{ limit: 3 }] });
    users.set(ADA, { budget: null, isRegistered: true });
    expect(await verified('ada')).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('need no usage where there are none', async () => {
    isUsageAway = true;
    expect(await verified('ada')).toMatchObject({ code: 'VALID', limits: [], spent: 0n });
    budgets = { workspace: budgetOf(1), endUser: null };
    await expect(verified('ada')).rejects.toThrow(Unavailable);
    key = { disabled: true };
    expect(await verified('ada')).toMatchObject({ code: 'DISABLED', limits: [] });
  });

  it('need no end user once the limit of the key is used up', async () => {
    areUsersAway = true;
    key = { limit: 0 };
    expect(await verified('ada')).toMatchObject({ code: 'LIMIT_EXCEEDED', spent: 0n });
    key = { limit: null };
    await expect(verified('ada')).rejects.toThrow(Unavailable);
  });
});
