import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { NOTHING } from '../keys/domain/usage.js';
import { SPENDING, type Spending } from '../keys/published/spending.js';
import { type VerificationCode, verify } from './domain/verification.js';
import { KeyLookUp } from './known-keys/key-look-up.js';
import type { Verification } from './verification.fields.js';

/** The question whether a key may be used (docs/api.md 12). */
export interface Question {
  readonly accountId: string;
  /** The hash of the key; null if the caller presented a string that is no key string of ours. */
  readonly hash: string | null;
  readonly workspaceId?: string | undefined;
  /** When the question was asked, by `performance.now()`. */
  readonly askedAt?: number | undefined;
}

/** Says whether a key of an account may be used. Changes nothing. */
@Injectable()
export class Verifier {
  #onVerified: (code: VerificationCode) => void = () => undefined;

  constructor(
    private readonly keys: KeyLookUp,
    @Inject(SPENDING) private readonly spending: Spending,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  observe(onVerified: (code: VerificationCode) => void): void {
    this.#onVerified = onVerified;
  }

  async verify(question: Question): Promise<Verification> {
    const { accountId, hash, workspaceId, askedAt = performance.now() } = question;
    const found = hash === null ? 'malformed' : await this.keys.apiKey(accountId, hash, askedAt);
    const at = this.clock.now();
    const key = found === 'malformed' ? null : found;
    const spent = key ? await this.spending.of(key, at, askedAt) : NOTHING;
    const code = verify(found, spent, at, workspaceId);
    this.#onVerified(code);
    return { code, key, spent, at };
  }
}
