import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LogFollower } from '../../../event-sourcing/event-log/log-follower.js';
import { allParkedIn } from '../../../event-sourcing/projections/parked-accounts.js';
import type { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import type { Maintenance } from '../../../event-sourcing/projections/maintenance/maintenance.js';
import type { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import type { ReadYourWrites } from '../../../event-sourcing/projections/read-your-writes.js';
import { type Ledger, USAGE } from '../../../event-sourcing/ledger.js';
import { FairSemaphore } from '../../../event-sourcing/waiting/fair-semaphore.js';
import { always, type WhilePresent } from '../../../event-sourcing/waiting/presence.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import type { NanoUsd } from '../../../kernel/usd.js';
import { isEndUserStream } from '../../end-users/domain/end-user.js';
import type { Limited, Subject } from '../../keys/domain/limit.js';
import type {
  LimitChanges,
  SpentTowardLimits,
} from '../../keys/published/spent-toward-limits.port.js';
import { LimitNotices } from '../limits-reached/limit-notices.js';
import { type FoldedUsage, UsageDirectory } from '../usage-directory/usage-directory.js';
import { SpentInMemory } from './spent-in-memory.js';
import type { RecentUsage } from './recent-usage.js';

/** The most concurrent reads of end users, whom anyone can invent: keys do not wait for them. */
const USERS_AT_ONCE = 16;

/** The parts of the ledger of usage that memory follows. */
interface Followed extends Pick<Ledger, 'log' | 'registry'> {
  readonly runner: Pick<DecisionRunner, 'onAppended'>;
  readonly models: Pick<ReadModels, 'lag' | 'onLost' | 'progress' | 'read' | 'state'> & {
    readonly wait: Pick<ReadYourWrites, 'useOwnEnd'>;
  };
  readonly maintenance: Pick<Maintenance, 'servedCheckpoint'>;
}

/**
 * Says what was spent toward limits: from memory, which follows the log of usage, or
 * else from the read models and what memory added since their checkpoint (docs/api.md 12.3).
 */
@Injectable()
export class SpentSoFar implements SpentTowardLimits, OnApplicationShutdown {
  readonly #counted: SpentInMemory;
  readonly #follower: LogFollower;
  readonly #users = new FairSemaphore(USERS_AT_ONCE);
  /** The number of parked accounts when it was last asked for. */
  #parked = 0;

  constructor(
    @Inject(USAGE.ledger) private readonly ledger: Followed,
    @Inject(UsageDirectory) private readonly directory: Pick<UsageDirectory, 'usageOf'>,
    @Inject(CLOCK) clock: Clock,
    @Inject(LimitNotices) notices: Pick<LimitNotices, 'add' | 'forget'>,
  ) {
    const { log, registry, runner, models, maintenance } = ledger;
    this.#counted = new SpentInMemory(registry, clock, notices);
    this.#follower = new LogFollower(log, this.#counted, {
      beginAt: () => maintenance.servedCheckpoint(),
      onEnd: (end) => models.lag.noteEnd(end),
    });
    models.onLost(() => this.#counted.forgetLatest());
    runner.onAppended((event) => this.#counted.applyOwn(event));
    // Reports of other accounts change nothing for an account's readers, however late the fold.
    models.wait.useOwnEnd(async (accountId) => {
      await this.#follower.look();
      return this.recent.endOf(accountId);
    });
    models.progress.observe((position) => {
      this.recent.letGo(position);
      this.#askForParked().catch(() => undefined);
    });
  }

  get ageMs(): number {
    return this.#follower.ageMs;
  }

  get recent(): RecentUsage {
    return this.#counted.recent;
  }

  get limits(): LimitChanges {
    return this.#counted;
  }

  start(): void {
    this.#follower.start();
  }

  onApplicationShutdown(): void {
    this.#follower.stop();
  }

  async spentBy(
    accountId: string,
    subject: Subject,
    limited: Limited,
    now: Date,
    since: number,
    id: string | null = subject,
    whilePresent: WhilePresent = always,
  ): Promise<NanoUsd> {
    if (limited.limit === null) return 0n;
    await this.#follower.catchUpTo(since);
    const known = this.#counted.get(subject, limited, now, id);
    if (known !== undefined) return known;
    const folded = (): Promise<FoldedUsage> => this.directory.usageOf(accountId, subject);
    const read = (): Promise<NanoUsd> =>
      this.#counted.read(accountId, subject, limited, now, id, folded);
    if (!isEndUserStream(subject)) return read();
    return whilePresent((presence) =>
      this.#users.run(
        accountId,
        async () => this.#counted.get(subject, limited, now, id) ?? (await read()),
        { presence },
      ),
    );
  }

  async #askForParked(): Promise<void> {
    const { parked } = this.ledger.models.state;
    if (parked === this.#parked) return;
    const accounts = await this.ledger.models.read(allParkedIn);
    this.recent.parked = new Set(accounts.map(({ account_id }) => account_id));
    this.#parked = parked;
  }
}
