import { Inject, Injectable } from '@nestjs/common';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import { key, keyStream, type Key } from '../domain/key.js';

/** Answers authentication about API keys. It reads the log, so an answer is never stale. */
@Injectable()
export class KeyFacts {
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  /** @returns null for a key that is unknown or was deleted. */
  async key(hash: string): Promise<Key | null> {
    const state = await this.runner.load(key, keyStream(hash));
    return state === 'deleted' ? null : state;
  }
}
