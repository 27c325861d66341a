import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { MANAGEMENT } from '../../event-sourcing/ledger.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/metadata.js';
import { START } from '../../kernel/position.js';
import { AccountFacts, type AccountWithDefault } from '../accounts/published/account-facts.js';
import {
  endString,
  type NewString,
  requireRoom,
  reserveString,
  rotateKey,
} from './domain/key-rotation.js';
import { isReservedFor, key, type Key, keyStream, ownKey } from './domain/key.js';
import { type KeyString, type StringPast, stringPast } from './domain/key-strings.js';
import { readEffectiveKey } from './keys.commands.js';

export interface Rotation {
  readonly key: Key;
  readonly string: KeyString;
  /** False when the same rotation was made before. */
  readonly isNew: boolean;
}

/**
 * Adds a string to an API key, once, and gives the others an end. The command has only the hash of
 * the string. Throws a Refusal for an unknown key, for a hash that something else uses, for a
 * string that has ended or was added with another grace, and when there are too many live strings.
 */
export class RotateKey extends Command<Rotation> {
  constructor(
    readonly account: AccountWithDefault,
    readonly hash: string,
    readonly string: NewString,
    readonly origin: Origin,
    /** Whether the string was just minted, so that nothing can have its hash. */
    readonly isMinted: boolean,
  ) {
    super();
  }
}

@CommandHandler(RotateKey)
export class RotateKeyHandler implements ICommandHandler<RotateKey> {
  constructor(
    @Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner,
    private readonly accounts: AccountFacts,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(command: RotateKey): Promise<Rotation> {
    const { account, hash, string, origin, isMinted } = command;
    const { accountId } = account;
    const at = this.clock.now();
    await this.#reserve(command, at);
    let past: StringPast | null = null;
    const { state, position } = await this.runner.run({
      aggregate: key,
      id: hash,
      accountId,
      origin,
      at,
      decide: async (before) => {
        const own = ownKey(before, accountId);
        past = isMinted ? null : await pastOf(this.runner, own, string.string_hash);
        return rotateKey(own, string, at, past);
      },
    });
    const rotated = await readEffectiveKey(this.accounts, account, ownKey(state, accountId));
    return {
      key: rotated,
      string: recordOf(string.string_hash, at, past),
      isNew: position !== START,
    };
  }

  /** Reserves the string for the key. What is refused without a race reserves nothing. */
  async #reserve({ account, hash, string, origin, isMinted }: RotateKey, at: Date): Promise<void> {
    const { accountId } = account;
    const { string_hash, grace_seconds } = string;
    const own = ownKey(await this.runner.load(key, hash, accountId), accountId);
    const owner = isMinted ? null : await this.runner.load(key, string_hash, accountId);
    // A string that is reserved already may be one of those that the key has.
    if (owner === null) requireRoom(own, grace_seconds, at);
    await this.runner.run({
      aggregate: key,
      id: string_hash,
      accountId,
      origin,
      expectNew: owner === null,
      decide: (state) => reserveString(state, own, string_hash),
    });
  }
}

function recordOf(hash: string, at: Date, past: StringPast | null): KeyString {
  return {
    hash,
    created_at: past?.added?.at ?? at.toISOString(),
    ends_at: past?.ends_at ?? null,
  };
}

/** Asks the events of a key, because its state keeps only the strings that live. */
function pastOf(
  runner: DecisionRunner,
  { hash, account_id }: Key,
  stringHash: string,
): Promise<StringPast | null> {
  return runner.replay(stringPast(stringHash), keyStream(hash), account_id);
}

/**
 * Ends a string of an API key at once. Throws a Refusal for an unknown key, for a string that is
 * not one of the key, and for the one without an end.
 */
export class EndKeyString extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly hash: string,
    readonly stringHash: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(EndKeyString)
export class EndKeyStringHandler implements ICommandHandler<EndKeyString> {
  constructor(
    @Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ accountId, hash, stringHash, origin }: EndKeyString): Promise<void> {
    const at = this.clock.now();
    await this.runner.run({
      aggregate: key,
      id: hash,
      accountId,
      origin,
      at,
      decide: async (before) => {
        const own = ownKey(before, accountId);
        return endString(own, stringHash, at, await this.#pastOf(own, stringHash));
      },
    });
  }

  /** Returns undefined for a string whose stream does not name the key. */
  async #pastOf(own: Key, stringHash: string): Promise<StringPast | null | undefined> {
    const owner = await this.runner.load(key, stringHash, own.account_id);
    return isReservedFor(owner, own.hash) ? pastOf(this.runner, own, stringHash) : undefined;
  }
}
