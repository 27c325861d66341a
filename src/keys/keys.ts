import { Inject, Injectable } from '@nestjs/common';
import { DecisionRunner } from '../event-log/decision-runner.js';
import type { Origin } from '../kernel/metadata.js';
import { key, keyStream, type KeyState } from './domain/key.js';
import type { KeyEvent } from './domain/key.events.js';

type Decide = (state: KeyState) => KeyEvent[] | Promise<KeyEvent[]>;

/** Takes decisions on key streams and gives the key as it is then. */
@Injectable()
export class Keys {
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  /** Decides on a key that is expected not to exist yet. */
  create(hash: string, accountId: string, origin: Origin, decide: Decide): Promise<KeyState> {
    return this.#run(hash, accountId, origin, decide, true);
  }

  change(hash: string, accountId: string, origin: Origin, decide: Decide): Promise<KeyState> {
    return this.#run(hash, accountId, origin, decide, false);
  }

  async #run(
    hash: string,
    accountId: string,
    origin: Origin,
    decide: Decide,
    expectNew: boolean,
  ): Promise<KeyState> {
    const stream = keyStream(hash);
    const decision = { aggregate: key, stream, accountId, origin, decide, expectNew };
    const { state } = await this.runner.run(decision);
    return state;
  }
}
