import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  NEW_KEY,
  openedAccount,
  OWNER,
  PLENTY,
} from '../../../../test/support/histories/accounts.js';
import { metadataAt, timeAt } from '../../../../test/support/specs/metadata-at.js';
import { Refusal } from '../../../kernel/errors.js';
import type { Happened } from '../../../kernel/event.js';
import { ROLES } from '../../../kernel/role.js';
import type { AccountEvent } from './account.events.js';
import { account, type ManagementKey } from './account.js';
import {
  createManagementKey,
  recordedKey,
  requireSameKey,
  revokeManagementKey,
} from './management-key.js';

const QUOTA = 3;

const steps = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('create' as const),
      hash: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      role: fc.constantFrom(...ROLES),
      livesFor: fc.option(fc.integer({ min: -1, max: 5 })),
    }),
    fc.record({
      type: fc.constant('revoke' as const),
      hash: fc.constantFrom('hash-1', 'a', 'b', 'c', 'd', 'e', 'f'),
      keepsAdmin: fc.boolean(),
    }),
    fc.record({ type: fc.constant('pass' as const), hours: fc.integer({ min: 1, max: 4 }) }),
  ),
  { maxLength: 60, size: 'max' },
);

type Step = (typeof steps extends fc.Arbitrary<infer All extends readonly unknown[]>
  ? All
  : never)[number];

interface ModelKey extends ManagementKey {
  isRevoked: boolean;
}

/** The account, and a plain model of its management keys, which forgets none. */
class Run {
  #hour = 10;
  #state = account.initial;
  readonly #history: Happened<AccountEvent>[] = [];
  readonly #keys = new Map<string, ModelKey>([
    ['hash-1', { ...NEW_KEY, hash: 'hash-1', user_id: OWNER, name: null, isRevoked: false }],
  ]);

  constructor() {
    this.#append(openedAccount());
  }

  take(step: Step): void {
    if (step.type === 'pass') this.#hour += step.hours;
    else if (step.type === 'create') this.#create(step);
    else this.#revoke(step);
    this.#check();
  }

  #create({ hash, role, livesFor }: Extract<Step, { type: 'create' }>): void {
    const expires_at = livesFor === null ? null : timeAt(this.#hour + livesFor);
    const wanted = { hash, user_id: OWNER, name: null, role, expires_at };
    const known = this.#keys.get(hash);
    const recorded = this.#recorded(hash);
    expect(recorded === null).toBe(known === undefined);
    if (recorded && known) {
      const isSame = known.role === role && known.expires_at === expires_at;
      const differs = isSame ? null : 'key-differs';
      expect(refusalOf(() => requireSameKey(recorded, wanted))).toBe(
        known.isRevoked ? 'hash-used' : differs,
      );
      return;
    }
    const isFull = this.#live().length >= QUOTA;
    const quotas = { ...PLENTY, managementKeys: QUOTA };
    const now = new Date(timeAt(this.#hour));
    const refusal = refusalOf(() => {
      this.#append(createManagementKey(this.#state, wanted, { quotas, now, until: null }));
    });
    expect(refusal).toBe(isFull ? 'quota-exceeded' : null);
    if (!isFull) this.#keys.set(hash, { ...wanted, isRevoked: false });
  }

  #revoke({ hash, keepsAdmin }: Extract<Step, { type: 'revoke' }>): void {
    const known = this.#keys.get(hash);
    if (!known || known.isRevoked) return;
    const admins = this.#live().filter(
      ({ role, expires_at }) => role === 'admin' && expires_at === null,
    );
    const isLast = admins.length === 1 && admins[0] === known;
    const refusal = refusalOf(() => {
      this.#append(revokeManagementKey(this.#state, hash, keepsAdmin));
    });
    expect(refusal).toBe(keepsAdmin && isLast ? 'last-admin-key' : null);
    if (refusal === null) known.isRevoked = true;
  }

  #check(): void {
    const held = this.#state.status === 'open' ? [...this.#state.managementKeys.values()] : [];
    expect(held.length).toBeLessThanOrEqual(QUOTA);
    expect(held).toEqual(
      expect.arrayContaining(this.#live().map(({ isRevoked: _, ...key }) => key)),
    );
    for (const { hash } of held) expect(this.#keys.get(hash)?.isRevoked).toBe(false);
  }

  #live(): ModelKey[] {
    const now = timeAt(this.#hour);
    return [...this.#keys.values()].filter(
      ({ isRevoked, expires_at }) => !isRevoked && (expires_at === null || expires_at > now),
    );
  }

  #recorded(hash: string) {
    const folded = recordedKey(hash);
    return this.#history.reduce((record, event) => folded.evolve(record, event), folded.initial);
  }

  #append(events: readonly AccountEvent[]): void {
    for (const event of events) {
      const happened = { ...event, metadata: metadataAt(this.#hour) };
      this.#history.push(happened);
      this.#state = account.evolve(this.#state, happened);
    }
  }
}

function refusalOf(act: () => void): string | null {
  try {
    act();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

describe('the management keys of an account', () => {
  it('are those of a plain model, after any creations, repeats, revocations and expiries', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const run = new Run();
        for (const step of all) run.take(step);
      }),
      { numRuns: 300 },
    );
  });
});
