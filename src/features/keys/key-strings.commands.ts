import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { MANAGEMENT } from '../../event-sourcing/ledger.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/metadata.js';
import { START } from '../../kernel/position.js';
import { AccountFacts, type AccountWithDefault } from '../accounts/published/account-facts.js';
import { endString, type NewString, rotateKey } from './domain/key-rotation.js';
import { key, type Key, keyOfLaterString, keyStream, ownKey } from './domain/key.js';
import { firstEventOf, type KeyString, type StringEvent, stringOf } from './domain/key-strings.js';
import { readEffectiveKey } from './keys.commands.js';
import { isReserved, reserveString } from './published/reserved-strings.js';

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

  async execute({ account, hash, string, origin }: RotateKey): Promise<Rotation> {
    const { accountId } = account;
    const { string_hash } = string;
    const reservation = { account_id: accountId, key_hash: hash };
    const at = this.clock.now();
    // The string is reserved before the log refuses what was decided on an old state in memory.
    await this.runner.load(key, hash, accountId);
    const { state, position } = await this.runner.run({
      aggregate: key,
      id: hash,
      accountId,
      origin,
      at,
      decide: async (before) => {
        const own = ownKey(before, accountId);
        const isKnown = await isReserved(this.runner, string_hash, reservation);
        const first = isKnown ? await readFirst(this.runner, own, string_hash) : null;
        const events = rotateKey(own, string, at, first);
        if (events.length > 0) await reserveString(this.runner, string_hash, reservation, origin);
        return events;
      },
    });
    const rotated = ownKey(state, accountId);
    const live = stringOf(rotated, string_hash);
    if (!live) throw new Error('a rotation left no string');
    return {
      key: await readEffectiveKey(this.accounts, account, rotated),
      string: live,
      isNew: position !== START,
    };
  }
}

/** Asks the events of a key, because its state keeps only the strings that live. */
function readFirst(
  runner: DecisionRunner,
  { hash, account_id }: Key,
  stringHash: string,
): Promise<StringEvent | null> {
  return runner.replay(firstEventOf(stringHash), keyStream(hash), account_id);
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
        return endString(own, stringHash, at, await this.#first(own, stringHash));
      },
    });
  }

  /** Returns undefined for a string whose stream does not name the key. */
  async #first(own: Key, stringHash: string): Promise<StringEvent | null | undefined> {
    const owner = await this.runner.load(key, stringHash, own.account_id);
    if (keyOfLaterString(owner) !== own.hash) return undefined;
    return readFirst(this.runner, own, stringHash);
  }
}
