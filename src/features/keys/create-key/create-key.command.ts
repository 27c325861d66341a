import { hash } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { IntersectionType, PickType } from '@nestjs/swagger';
import { AccountFacts } from '../../accounts/published/account-facts.js';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import { AbsentableFields } from '../../../edge/http/fields/mapped-fields.js';
import type { Origin } from '../../../kernel/metadata.js';
import { parseUtcTimestamp } from '../../../kernel/utc-timestamp.js';
import { createKey, key, keyStream, ownKey, type Key } from '../domain/key.js';
import { effectiveKeyDecided } from '../effective-keys.js';
import { type ExternalIdentity, KeyFields } from '../key.fields.js';

/** The body of `POST /v1/keys` (docs/api.md 3.3). Unknown fields are ignored; null counts as absent. */
export class CreateKeyRequest extends IntersectionType(
  PickType(KeyFields, ['name']),
  AbsentableFields(KeyFields, [
    'creator_user_id',
    'expires_at',
    'external',
    'include_byok_in_limit',
    'limit',
    'limit_reset',
    'workspace_id',
  ]),
) {}

/**
 * Creates an API key and returns it. The command has only the hash of the key string, never the key string.
 * Throws a Refusal when the workspace is unknown.
 */
export class CreateKey extends Command<Key> {
  constructor(
    readonly accountId: string,
    readonly hash: string,
    /** The creator of the key unless the body names another user. */
    readonly userId: string,
    readonly body: CreateKeyRequest,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(CreateKey)
export class CreateKeyHandler implements ICommandHandler<CreateKey> {
  constructor(
    @Inject(DecisionRunner) private readonly runner: DecisionRunner,
    @Inject(AccountFacts) private readonly accounts: AccountFacts,
  ) {}

  async execute({ accountId, hash: keyHash, userId, body, origin }: CreateKey): Promise<Key> {
    const wanted = {
      hash: keyHash,
      account_id: accountId,
      name: body.name,
      creator_user_id: body.creator_user_id ?? userId,
      limit: body.limit ?? null,
      limit_reset: body.limit_reset ?? null,
      include_byok_in_limit: body.include_byok_in_limit ?? false,
      expires_at: body.expires_at == null ? null : parseUtcTimestamp(body.expires_at),
      external: body.external ? withHashedLookupKey(body.external) : null,
    };
    const { state } = await this.runner.run({
      aggregate: key,
      stream: keyStream(keyHash),
      accountId,
      origin,
      expectNew: true,
      decide: async (before) => {
        const [workspace] = await this.accounts.workspaces(accountId, [
          body.workspace_id ?? undefined,
        ]);
        return createKey(before, wanted, workspace?.id);
      },
    });
    const created = ownKey(state, accountId);
    // The default workspace is never deleted.
    return body.workspace_id == null ? created : effectiveKeyDecided(this.accounts, created);
  }
}

function withHashedLookupKey({ user, lookup_key, api_key }: ExternalIdentity): {
  user: string;
  lookup_key_hash: string | null;
} {
  const lookupKey = lookup_key ?? api_key;
  return { user, lookup_key_hash: lookupKey == null ? null : hash('sha256', lookupKey, 'hex') };
}
