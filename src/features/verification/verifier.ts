import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { isOutOfReach, Unavailable } from '../../kernel/errors.js';
import type { WhilePresent } from '../../event-sourcing/waiting/presence.js';
import { inTime } from '../../event-sourcing/waiting/in-time.js';
import type { NanoUsd } from '../../kernel/usd.js';
import { endUserId, endUserStream } from '../end-users/domain/end-user.js';
import type { Key } from '../keys/domain/key.js';
import type { Limited, Subject, SubjectKind } from '../keys/domain/limit.js';
import {
  SPENT_TOWARD_LIMITS,
  type SpentTowardLimits,
} from '../keys/published/spent-toward-limits.port.js';
import type { AskedKey } from './asked-key.js';
import {
  type AskedLimit,
  askedLimit,
  endUserOf,
  isUsedUp,
  type VerificationCode,
  verify,
} from './domain/verification.js';
import { EndUserMemory } from './known-keys/end-user-memory.js';
import { type Freshness, FRESHNESS, freshSince } from './known-keys/freshness.js';
import { KeyMemory } from './known-keys/key-memory.js';
import type { KnownApiKey } from './known-keys/known-keys.js';
import type { Verification } from './verification.fields.js';

/** The question whether a key may be used (docs/api.md 12). */
export interface Question {
  readonly accountId: string;
  readonly asked: AskedKey;
  readonly workspaceId?: string | undefined;
  /** The tracking ID of the end user whom the question names, if it names one. */
  readonly user?: string | undefined;
  /** The time when the question was asked, by `performance.now()`. */
  readonly askedAt: number;
  /** Whether to show the rest of the limit, also of a key refused whatever it has spent. */
  readonly showsRemaining?: boolean;
  /** For look-ups that wait. Default: the caller does not leave. */
  readonly whilePresent?: WhilePresent;
}

/** How long an answer waits for spending that it shows, but that does not change the decision. */
const SHOWN_WITHIN_MS = 250;

const NONE_ASKED: readonly AskedLimit[] = [];

/** Says whether a key of an account may be used. Changes nothing. */
@Injectable()
export class Verifier {
  #onVerified: (code: VerificationCode) => void = () => undefined;

  constructor(
    @Inject(KeyMemory) private readonly keys: Pick<KeyMemory, 'findApiKey' | 'budgetsOf'>,
    @Inject(EndUserMemory) private readonly users: Pick<EndUserMemory, 'get' | 'read'>,
    @Inject(SPENT_TOWARD_LIMITS) private readonly spending: Pick<SpentTowardLimits, 'spentBy'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(FRESHNESS) private readonly freshness: Freshness,
  ) {}

  observe(onVerified: (code: VerificationCode) => void): void {
    this.#onVerified = onVerified;
  }

  async verify(question: Question): Promise<Verification> {
    const { asked, workspaceId, askedAt } = question;
    const hash = typeof asked === 'string' ? '' : asked.hash;
    const known = await this.#find(question);
    const at = this.clock.now();
    const key = known && known.key;
    const found = asked === 'malformed' ? asked : key;
    let code = verify(found, hash, NONE_ASKED, at, workspaceId);
    let limits = NONE_ASKED;
    let spent: NanoUsd | null = null;
    if (known && code === 'VALID') {
      limits = await this.#askLimits(known, question, at);
      code = verify(found, hash, limits, at, workspaceId);
      spent = limits.find(({ scope }) => scope === 'key')?.spent ?? 0n;
    } else if (key && question.showsRemaining === true) {
      spent = await this.#spentIfKnown(key, at, askedAt);
    }
    this.#onVerified(code);
    return { code, key, spent, limits, at };
  }

  async #find({ accountId, asked, askedAt, whilePresent }: Question): Promise<KnownApiKey | null> {
    if (typeof asked === 'string') return null;
    return this.keys.findApiKey(accountId, asked.hash, askedAt, whilePresent);
  }

  /** Asks about the limits that apply, one after the other, up to the first that is used up. */
  async #askLimits(
    found: KnownApiKey,
    { user: named, askedAt, whilePresent }: Question,
    at: Date,
  ): Promise<readonly AskedLimit[]> {
    const { key, accountKind } = found;
    const budgets = this.keys.budgetsOf(found);
    const user = endUserOf(key, accountKind, named);
    if (key.limit === null && user === null && budgets.workspace === null) return NONE_ASKED;
    const { account_id, workspace_id } = key;
    const since = freshSince(askedAt, this.freshness);
    const limits: AskedLimit[] = [];

    const isWithin = async (
      scope: SubjectKind,
      subject: Subject,
      limited: Limited,
      told?: string | null,
    ): Promise<boolean> => {
      const { limit, limit_reset } = limited;
      if (limit === null) return true;
      const spent = await this.spending.spentBy(
        account_id,
        subject,
        limited,
        at,
        since,
        told,
        whilePresent,
      );
      const asked = askedLimit({ scope, limit, limit_reset, spent });
      limits.push(asked);
      return !isUsedUp(asked);
    };

    if (!(await isWithin('key', key.hash, key))) return limits;
    if (user !== null) {
      const stream = endUserStream(endUserId(account_id, user));
      const known =
        this.users.get(stream) ?? (await this.users.read(account_id, stream, whilePresent));
      const budget = known.budget ?? budgets.endUser;
      const told = known.isRegistered ? user : null;
      if (budget && !(await isWithin('end-user', stream, budget, told))) return limits;
    }
    if (budgets.workspace) await isWithin('workspace', workspace_id, budgets.workspace);
    return limits;
  }

  async #spentIfKnown(key: Key, at: Date, askedAt: number): Promise<NanoUsd | null> {
    const since = freshSince(askedAt, this.freshness);
    const late = (): Error => new Unavailable('usage log', 'it does not answer in time');
    try {
      const spent = this.spending.spentBy(key.account_id, key.hash, key, at, since);
      return await inTime(spent, SHOWN_WITHIN_MS, late);
    } catch (error) {
      if (isOutOfReach(error)) return null;
      throw error;
    }
  }
}
