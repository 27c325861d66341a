import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { isOutOfReach, Unavailable } from '../../kernel/errors.js';
import { inTime } from '../../event-sourcing/waiting/in-time.js';
import type { NanoUsd } from '../../kernel/usd.js';
import type { Key } from '../keys/domain/key.js';
import {
  SPENT_TOWARD_LIMITS,
  type SpentTowardLimits,
} from '../keys/published/spent-toward-limits.port.js';
import type { AskedKey } from './asked-key.js';
import { type AskedLimit, type VerificationCode, verify } from './domain/verification.js';
import { type Freshness, FRESHNESS, freshSince } from './known-keys/freshness.js';
import { KeyMemory } from './known-keys/key-memory.js';
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
}

/** How long an answer waits for spending that it shows, but that does not change the decision. */
const SHOWN_WITHIN_MS = 250;

const NONE_ASKED: readonly AskedLimit[] = [];

/** Says whether a key of an account may be used. Changes nothing. */
@Injectable()
export class Verifier {
  #onVerified: (code: VerificationCode) => void = () => undefined;

  constructor(
    private readonly keys: KeyMemory,
    @Inject(SPENT_TOWARD_LIMITS) private readonly spending: SpentTowardLimits,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(FRESHNESS) private readonly freshness: Freshness,
  ) {}

  observe(onVerified: (code: VerificationCode) => void): void {
    this.#onVerified = onVerified;
  }

  async verify(question: Question): Promise<Verification> {
    const { asked, workspaceId, askedAt } = question;
    const hash = typeof asked === 'string' ? '' : asked.hash;
    const found = await this.#find(question);
    const at = this.clock.now();
    const key = found === 'malformed' ? null : found;
    let code = verify(found, hash, NONE_ASKED, at, workspaceId);
    let limits = NONE_ASKED;
    let spent: NanoUsd | null = null;
    if (key && code === 'VALID') {
      limits = await this.#askLimits(key, question, at);
      code = verify(key, hash, limits, at, workspaceId);
      spent = limits.find(({ scope }) => scope === 'key')?.spent ?? 0n;
    } else if (key && question.showsRemaining === true) {
      spent = await this.#spentIfKnown(key, at, askedAt);
    }
    this.#onVerified(code);
    return { code, key, spent, limits, at };
  }

  /** Asks about the limits that apply, one after the other, up to the first that is used up. */
  async #askLimits(key: Key, { askedAt }: Question, at: Date): Promise<readonly AskedLimit[]> {
    const { limit, limit_reset } = key;
    if (limit === null) return NONE_ASKED;
    const spent = await this.#spentBy(key, at, askedAt);
    return [{ scope: 'key', limit, limit_reset, spent }];
  }

  async #find({ accountId, asked, askedAt }: Question): Promise<Key | 'malformed' | null> {
    if (asked === 'malformed') return asked;
    if (asked === 'management-key') return null;
    return this.keys.findApiKey(accountId, asked.hash, askedAt);
  }

  #spentBy(key: Key, at: Date, askedAt: number): Promise<NanoUsd> {
    return this.spending.spentBy(
      key.account_id,
      key.hash,
      key,
      at,
      freshSince(askedAt, this.freshness),
    );
  }

  async #spentIfKnown(key: Key, at: Date, askedAt: number): Promise<NanoUsd | null> {
    const late = (): Error => new Unavailable('usage log', 'it does not answer in time');
    try {
      return await inTime(this.#spentBy(key, at, askedAt), SHOWN_WITHIN_MS, late);
    } catch (error) {
      if (isOutOfReach(error)) return null;
      throw error;
    }
  }
}
