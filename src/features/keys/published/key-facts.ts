import { Inject, Injectable } from '@nestjs/common';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import { key, type KeyState } from '../domain/key.js';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';

/** Facts of API keys for authentication, read from the log and so never out of date. */
@Injectable()
export class KeyFacts {
  constructor(@Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner) {}

  /**
   * Returns what the stream of a string says: the API key, or whose the string is.
   * @param turn the account or caller for which the load takes its turn. Default: the string.
   */
  key(hash: string, turn?: string): Promise<KeyState> {
    return this.runner.load(key, hash, turn);
  }
}
