import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { KeyLookUp } from '../../verification/find-key.lookup.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { noUsage } from '../domain/usage.js';
import { type VerificationCode, verify } from '../domain/verification.js';
import type { Verification } from '../verification-record.js';

/** Says whether a key of an account may be used (docs/api.md 12). Changes nothing. */
export class VerifyKey extends Query<Verification> {
  constructor(
    /** The account that the key must belong to; null for any account, which only an operator may ask for. */
    readonly accountId: string | null,
    /** The hash of the key; null if the caller presented a string that is no key string of ours. */
    readonly hash: string | null,
    /** The workspace that the key must be in. */
    readonly workspaceId?: string,
    /** When the question was asked, by `performance.now()`. */
    readonly askedAt = performance.now(),
  ) {
    super();
  }
}

@QueryHandler(VerifyKey)
export class VerifyKeyHandler implements IQueryHandler<VerifyKey> {
  #onVerified: (code: VerificationCode) => void = () => undefined;

  constructor(
    @Inject(KeyLookUp) private readonly keys: KeyLookUp,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Calls `onVerified` with the code of each later verification. */
  observe(onVerified: (code: VerificationCode) => void): void {
    this.#onVerified = onVerified;
  }

  async execute(query: VerifyKey): Promise<Verification> {
    const { accountId, hash, workspaceId, askedAt } = query;
    const found = hash === null ? 'malformed' : await this.keys.apiKey(accountId, hash, askedAt);
    const at = this.clock.now();
    const code = verify(found, noUsage, at, workspaceId);
    this.#onVerified(code);
    return { code, key: found === 'malformed' ? null : found, usage: noUsage, at };
  }
}
