import { Inject, Injectable } from '@nestjs/common';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import { key, type Key } from '../domain/key.js';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';

/** Facts of API keys for authentication, read from the log and so never out of date. */
@Injectable()
export class KeyFacts {
  constructor(@Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner) {}

  key(hash: string): Promise<Key | 'deleted' | null> {
    return this.runner.load(key, hash);
  }
}
