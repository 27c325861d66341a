import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { Big } from 'big.js';
import { type EventLog, UnheldPositionError } from '../../../event-sourcing/event-log/event-log.js';
import {
  EventRegistry,
  UnreadableEventError,
} from '../../../event-sourcing/event-log/event-registry.js';
import { history } from '../../../event-sourcing/event-log/history.js';
import {
  type Freshness,
  FRESHNESS,
  LogFollower,
} from '../../../event-sourcing/event-log/log-follower.js';
import type { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import { Unavailable, Unreadable } from '../../../kernel/errors.js';
import type { Position } from '../../../kernel/position.js';
import type { LimitedKey, Spending } from '../../keys/published/spending.js';
import { countedIn, usd } from '../domain/spending.js';
import type { NanoUsd } from '../domain/usd.js';
import { UsageDirectory } from '../usage-directory/usage-directory.js';
import { USAGE } from '../usage-log.js';
import { addTo, CountedSpending, reportIn, type SpendingRead } from './counted-spending.js';

/**
 * Says what keys have spent toward their limits: from memory, which follows the log of usage, or else from the read
 * models and the events after them (docs/api.md 12.3).
 */
@Injectable()
export class KnownSpending implements Spending, OnApplicationBootstrap, OnApplicationShutdown {
  readonly #counted: CountedSpending;
  readonly #follower: LogFollower;

  constructor(
    @Inject(USAGE.log) private readonly log: EventLog,
    @Inject(USAGE.registry) private readonly registry: EventRegistry,
    @Inject(FRESHNESS) private readonly freshness: Freshness,
    @Inject(UsageDirectory) private readonly directory: Pick<UsageDirectory, 'usageOf'>,
    @Inject(USAGE.models) models: Pick<ReadModels, 'lag' | 'onLost'>,
  ) {
    this.#counted = new CountedSpending(registry);
    models.onLost(() => this.#counted.forgetLatest());
    this.#follower = new LogFollower(log, this.#counted, { onEnd: (end) => models.lag.saw(end) });
  }

  get ageMs(): number {
    return this.#follower.ageMs;
  }

  onApplicationBootstrap(): void {
    this.#follower.start();
  }

  onApplicationShutdown(): void {
    this.#follower.stop();
  }

  async of(key: LimitedKey, now: Date, askedAt: number): Promise<Big> {
    if (key.limit === null) return usd(0n);
    await this.#follower.freshFor(askedAt, this.freshness);
    return usd(this.#counted.get(key, now) ?? (await this.#read(key, now)));
  }

  async #read(key: LimitedKey, now: Date): Promise<NanoUsd> {
    const read = this.#counted.begin(key, now);
    // Later reports are heard, so only those up to here may have to be read from the log.
    const heardFrom = this.#follower.position;
    try {
      const { usage, checkpoint } = await this.directory.usageOf(key.account_id, key.hash);
      if (checkpoint < heardFrom) await this.#hearBetween(read, checkpoint, heardFrom);
      return this.#counted.end(read, usage ? countedIn(read.counting, usage) : 0n, checkpoint);
    } catch (error) {
      this.#counted.abandon(read);
      // The read models belong to another log; readiness says so.
      if (error instanceof UnheldPositionError) throw new Unavailable('read side usage', error);
      throw error instanceof UnreadableEventError ? new Unreadable(error.message, error) : error;
    }
  }

  /** Lets a read hear the reports after one position, up to another. @throws UnreadableEventError like `reportIn`. */
  async #hearBetween(read: SpendingRead, after: Position, to: Position): Promise<void> {
    for await (const { events } of history(this.log, after)) {
      for (const recorded of events) {
        if (recorded.position > to) return;
        const { keys, sums } = reportIn(recorded, this.registry) ?? { keys: [], sums: [] };
        const place = keys.findIndex(({ hash }) => hash === read.hash);
        for (const sum of sums) if (sum.key === place) addTo(read, recorded.position, sum);
      }
    }
  }
}
