import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { EventLog } from '../../../event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import { reservingAccount } from '../../keys/published/reserved-strings.js';
import { Refusal } from '../../../kernel/errors.js';
import { hashKeyString, mintKeyString } from '../../../kernel/key-string.js';
import { CreateAccount } from '../accounts.commands.js';
import { FIRST_ACCOUNT_ID } from '../domain/first-account.js';
import { AccountFacts } from '../published/account-facts.js';
import { isGuessable } from './guessable-key.js';

const GUESSABLE =
  'BOOTSTRAP_MANAGEMENT_KEY: got a key that is easy to guess (few different characters, or one part repeated); ' +
  'to create a good one: openssl rand -hex 32';

/** Makes an empty log usable: creates an organization with an owner and a management key. */
@Injectable()
export class FirstStart {
  /** The minted key, the same in all calls of `run`: a call may store it and yet seem to fail. */
  readonly #minted = mintKeyString('mk-v1-');

  constructor(
    @Inject(MANAGEMENT.log) private readonly log: EventLog,
    @Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner,
    private readonly commands: CommandBus,
    private readonly facts: AccountFacts,
  ) {}

  /**
   * Creates the first account when it is owed. After a failure, the caller may call `run`
   * again, even if the failure left open whether the account was created.
   * @param given the management key to use; undefined when the service must mint a key.
   * @throws when the account is owed and the given key is easy to guess.
   * @returns the minted key, to show to the operator; null when the first account has another.
   */
  async run(given: string | undefined): Promise<string | null> {
    if (await this.#isOwed()) {
      if (given !== undefined && isGuessable(given)) throw new Error(GUESSABLE);
      await this.#create(given ?? this.#minted);
    }
    const first = await this.facts.account(FIRST_ACCOUNT_ID);
    return first?.managementKeys.has(hashKeyString(this.#minted)) === true ? this.#minted : null;
  }

  /**
   * Whether the log is empty, or a first start was cut off after its first event: the reservation
   * of the management key of an account that does not exist.
   */
  async #isOwed(): Promise<boolean> {
    const first = await this.log.identity();
    if (first === null) return true;
    const accountId = await reservingAccount(this.runner, first.stream);
    if (accountId === null || (await this.facts.account(accountId))) return false;
    return (await this.facts.account(FIRST_ACCOUNT_ID)) === null;
  }

  async #create(managementKey: string): Promise<void> {
    const account = {
      account_id: FIRST_ACCOUNT_ID,
      kind: 'organization' as const,
      name: 'First organization',
      owner_user_id: `user-${randomUUID()}`,
      management_key_hash: hashKeyString(managementKey),
    };
    const actor = { type: 'system' as const, id: 'first-start', user_id: null };
    try {
      await this.commands.execute(new CreateAccount(account, { actor, requestId: null }));
    } catch (error) {
      if (error instanceof Refusal && error.code === 'account-already-exists') return;
      throw error;
    }
  }
}
