import { Inject, Injectable } from '@nestjs/common';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import { key, keyStream, type Key } from '../domain/key.js';

/** What authentication may ask of keys. Read from the log, so never out of date. */
@Injectable()
export class KeyFacts {
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  /** Null for a key that never was or was deleted. */
  async key(hash: string): Promise<Key | null> {
    const state = await this.runner.load(key, keyStream(hash));
    return state === 'deleted' ? null : state;
  }
}
