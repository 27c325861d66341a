import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { KeyLookUp } from '../../authentication/find-key.lookup.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { hashKeyString, isKeyString } from '../../key-strings/key-string.js';
import type { Key } from '../domain/key.js';
import { noUsage } from '../domain/usage.js';
import { type VerificationCode, verify } from '../domain/verification.js';
import type { Verification } from '../verification-record.js';

/** The key string or the hash by which a caller names a key. */
export type PresentedKey = { readonly key: string } | { readonly hash: string };

/** Says whether a key of an account may be used (docs/api.md 12). Changes nothing. */
export class VerifyKey extends Query<Verification> {
  constructor(
    /** The account that the key must belong to; null for any account, which only an operator may ask for. */
    readonly accountId: string | null,
    readonly presented: PresentedKey,
    /** The workspace that the key must be in. */
    readonly workspaceId?: string,
    /** Whether the answer must reflect all events that were stored before the question. */
    readonly strong = false,
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
    const found = await this.#find(query);
    const at = this.clock.now();
    const code = verify(found, noUsage, at, query.workspaceId);
    this.#onVerified(code);
    return { code, key: found === 'malformed' ? null : found, usage: noUsage, at };
  }

  async #find(query: VerifyKey): Promise<Key | 'malformed' | null> {
    const { accountId, presented, strong, askedAt } = query;
    if ('hash' in presented) return this.keys.apiKey(accountId, presented.hash, strong, askedAt);
    const { key } = presented;
    if (!isKeyString(key)) return 'malformed';
    if (!key.startsWith('sk-')) return null;
    return this.keys.apiKey(accountId, hashKeyString(key), strong, askedAt);
  }
}
