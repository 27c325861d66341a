import { LRUCache } from 'lru-cache';
import type { FollowingMemory } from '../../../event-sourcing/event-log/log-follower.js';
import type { EventRegistry } from '../../../event-sourcing/event-log/event-registry.js';
import type { RecordedEvent } from '../../../event-sourcing/event-log/event-log.js';
import type { OwnEvent } from '../../../event-sourcing/decisions/decision-runner.js';
import { type DomainEvent, isOneOf } from '../../../kernel/event.js';
import type { Clock } from '../../../kernel/clock.js';
import { type Position, START } from '../../../kernel/position.js';
import { isEndUserStream } from '../../end-users/domain/end-user.js';
import type { Limited, Subject } from '../../keys/domain/limit.js';
import {
  type Counting,
  countedOfUsage,
  countedOfDay,
  countingOf,
  countsSo,
  isCurrent,
} from '../domain/spent-toward-limit.js';
import { amountsIn } from '../domain/amounts.js';
import { kindOf, nextThreshold, THRESHOLDS } from '../domain/limit-reached.js';
import type { LimitNotices } from '../limits-reached/limit-notices.js';
import { type UsageEvent, usageEvents } from '../domain/usage.events.js';
import { addedUsage } from '../domain/subject-usage.js';
import { sumsIn } from '../domain/usage-sums.js';
import { bytesOf } from '../../../kernel/sizes.js';
import type { NanoUsd } from '../../../kernel/usd.js';
import type { FoldedUsage } from '../usage-directory/usage-directory.js';
import { RecentUsage } from './recent-usage.js';

/** The spending of a subject that is in memory. Each report adds to it. */
interface Counted {
  readonly accountId: string;
  counting: Counting;
  /** The position up to which the read models had counted. Only later reports add to the amount. */
  readonly countedTo: Position;
  amount: NanoUsd;
  /** The time when it was read, in whole seconds of `performance.now()`. */
  readonly readAt: number;
  /** In USD, as last known; null for none. */
  limit: number | null;
  /** What events call the subject. Null for an end user who is not registered: nobody is told. */
  id: string | null;
  /** How many thresholds of the limit were reached, and are told of. */
  reached: number;
  /** The spending that reaches the next threshold; null if there is none. */
  next: NanoUsd | null;
}

/** A window without days: what counts so is read again when it is next asked about. */
const OUTDATED: Counting = {
  limit_reset: null,
  include_byok_in_limit: false,
  window: { since: '', until: '' },
};

/** The most bytes for keys and workspaces, and for end users, whom anyone can invent. */
const MOST_SPENT_BYTES = 40 * 1024 * 1024;
const MOST_SPENT_BYTES_OF_USERS = 12 * 1024 * 1024;
/** The greatest age of the last whole documents when a drop of documents is noticed. */
const LOST_FOR_S = 10;
/** The measured bytes in memory of an entry. The name of a key is that of the key in memory. */
const SPENT_ENTRY_BYTES = 325;
const USER_ENTRY_BYTES = 425;
/** The measured bytes of a threshold that was reached, while its event is not written. */
const REACHED_BYTES = 300;

/**
 * The spending toward the limits of subjects in use. Each report counts exactly once: a read
 * says up to which position it counted, and later reports are added from memory or as they come.
 */
export class SpentInMemory implements FollowingMemory {
  readonly recent = new RecentUsage();
  readonly #counted = this.#spendingOf(MOST_SPENT_BYTES, SPENT_ENTRY_BYTES);
  readonly #countedOfUsers = this.#spendingOf(MOST_SPENT_BYTES_OF_USERS, USER_ENTRY_BYTES);
  /** The newest `Counting` of each kind, which all limits of that kind share in memory. */
  readonly #countings = new Map<string, Counting>();
  /** The checkpoint of the last read, one text for all that were counted up to it. */
  #countedTo = START;
  /** How often reads under way became outdated. */
  #epoch = 0;
  #appliedTo = START;
  /** The positions of own events that were applied before the follower came to them. */
  readonly #ahead = new Set<Position>();

  constructor(
    private readonly registry: EventRegistry,
    private readonly clock: Clock,
    private readonly notices: Pick<LimitNotices, 'add' | 'forget'>,
  ) {}

  /** Returns what counts toward a limit at `now`; undefined when that must be read. */
  get(subject: Subject, limited: Limited, now: Date, id: string | null): NanoUsd | undefined {
    const counted = this.#memoryOf(subject).get(subject);
    if (!counted || !countsSo(counted.counting, limited, now)) return undefined;
    counted.id = id;
    setLimit(counted, limited.limit);
    this.#notice(subject, counted, now, false);
    return counted.amount;
  }

  /** Reads and keeps what counts toward a limit, with reports after the checkpoint. */
  async read(
    accountId: string,
    subject: Subject,
    limited: Limited,
    now: Date,
    id: string | null,
    folded: () => Promise<FoldedUsage>,
  ): Promise<NanoUsd> {
    const epoch = this.#epoch;
    const counting = this.#countingOf(limited, now);
    const endRead = this.recent.beginRead();
    try {
      const { usage, checkpoint } = await folded();
      if (checkpoint !== this.#countedTo) this.#countedTo = checkpoint;
      const countedTo = this.#countedTo;
      const since = this.recent.spentAfter(countedTo, accountId, subject, counting);
      const { limit } = limited;
      const before = this.#memoryOf(subject).peek(subject);
      const isKnown = before?.counting === counting && before.limit === limit;
      const reached = isKnown ? before.reached : 0;
      const counted: Counted = {
        accountId,
        counting,
        countedTo,
        amount: since + (usage ? countedOfUsage(counting, usage) : 0n),
        readAt: secondsNow(),
        limit,
        id,
        reached,
        next: nextThreshold(limit, reached),
      };
      if (epoch === this.#epoch) this.#memoryOf(subject).set(subject, counted);
      this.#notice(subject, counted, now, false);
      return counted.amount;
    } finally {
      endRead();
    }
  }

  /** Changes a limit in memory. One that counts otherwise then is noticed once it is read again. */
  limitChanged(subject: Subject, change: Partial<Limited>): void {
    const counted = this.#memoryOf(subject).peek(subject);
    if (!counted) return;
    const now = this.clock.now();
    changeLimit(counted, change, now);
    this.#notice(subject, counted, now, false);
  }

  /** Changes the limit of end users. Whoever has reached it is noticed when next asked about. */
  commonLimitChanged(
    accountId: string,
    change: Partial<Limited>,
    holdsFor: (subject: Subject) => boolean | undefined,
  ): void {
    const now = this.clock.now();
    for (const [subject, counted] of this.#countedOfUsers) {
      if (counted.accountId !== accountId) continue;
      const holds = holdsFor(subject);
      if (holds === undefined) counted.counting = OUTDATED;
      else if (holds) changeLimit(counted, change, now);
    }
  }

  apply(recorded: RecordedEvent): void {
    const { position } = recorded;
    this.#appliedTo = position;
    if (this.#ahead.delete(position)) return;
    try {
      this.#add(position, this.registry.decode(recorded));
    } catch {
      // It may name any subject.
      this.forgetAll(position);
    }
  }

  /** Applies an event that this process has appended, mostly before the follower comes to it. */
  applyOwn({ position, type, data }: OwnEvent): void {
    if (position <= this.#appliedTo) return;
    this.#ahead.add(position);
    this.#add(position, { type, data });
  }

  forgetAll(at: Position): void {
    this.#counted.clear();
    this.#countedOfUsers.clear();
    this.#epoch += 1;
    this.#appliedTo = at;
    this.#ahead.clear();
    this.recent.beginAt(at);
  }

  /** Forgets what was read lately, because the documents may have been dropped in part before. */
  forgetLatest(): void {
    const since = secondsNow() - LOST_FOR_S;
    for (const memory of [this.#counted, this.#countedOfUsers]) {
      for (const [subject, { readAt }] of memory) if (readAt >= since) memory.delete(subject);
    }
    this.#epoch += 1;
  }

  #add(position: Position, event: DomainEvent | null): void {
    if (!event || !isOneOf<UsageEvent>(usageEvents, event)) return;
    const added = addedUsage(sumsIn(event));
    const { account_id, accepted } = event.data;
    const now = this.clock.now();
    this.recent.add(position, { account_id, accepted, added });
    for (const { subject, days } of added) {
      const counted = this.#memoryOf(subject).peek(subject);
      if (!counted || position <= counted.countedTo) continue;
      for (const day of days) {
        counted.amount += countedOfDay(day.day, counted.counting, amountsIn(day));
      }
      this.#notice(subject, counted, now, true);
    }
  }

  /** Notices the thresholds that were reached, unless their window is over. */
  #notice(subject: Subject, counted: Counted, now: Date, isReported: boolean): void {
    const { accountId, counting, countedTo, amount, readAt, limit, id } = counted;
    if (!limit || id === null || counted.next === null || amount < counted.next) return;
    const { limit_reset, window } = counting;
    if (!isCurrent(counting, now)) return;
    const kind = kindOf(subject);
    let reached = counted.reached;
    let next: NanoUsd | null = counted.next;
    while (next !== null && amount >= next) {
      const threshold = THRESHOLDS[reached] ?? 0;
      const what = { accountId, subject, kind, id, threshold, limit, limit_reset, window };
      this.notices.add({ spent: amount, ...what }, isReported);
      reached += 1;
      next = nextThreshold(limit, reached);
    }
    const memory = this.#memoryOf(subject);
    if (memory.peek(subject) !== counted) return;
    // A new object, because the size of the same one is not computed again.
    memory.set(subject, {
      accountId,
      counting,
      countedTo,
      amount,
      readAt,
      limit,
      id,
      reached,
      next,
    });
  }

  #spendingOf(maxSize: number, entryBytes: number): LRUCache<Subject, Counted> {
    return new LRUCache<Subject, Counted>({
      maxSize,
      sizeCalculation: ({ reached, id }, subject) =>
        entryBytes + (id === null || id === subject ? 0 : bytesOf(id)) + reached * REACHED_BYTES,
      dispose: ({ accountId }, subject, reason) => {
        if (reason !== 'set') this.notices.forget(accountId, subject);
      },
    });
  }

  #memoryOf(subject: Subject): LRUCache<Subject, Counted> {
    return isEndUserStream(subject) ? this.#countedOfUsers : this.#counted;
  }

  #countingOf(limited: Limited, now: Date): Counting {
    const kind = `${limited.limit_reset} ${limited.include_byok_in_limit}`;
    const newest = this.#countings.get(kind);
    if (newest && countsSo(newest, limited, now)) return newest;
    const counting = countingOf(limited, now);
    this.#countings.set(kind, counting);
    return counting;
  }
}

/** Changes a limit as far as it counts as before. */
function changeLimit(counted: Counted, change: Partial<Limited>, now: Date): void {
  const { counting } = counted;
  const limited = { limit: counted.limit, ...counting, ...change };
  if (!countsSo(counting, limited, now)) counted.counting = OUTDATED;
  else setLimit(counted, limited.limit);
}

function setLimit(counted: Counted, limit: number | null): void {
  if (counted.limit === limit) return;
  counted.limit = limit;
  counted.reached = 0;
  counted.next = nextThreshold(limit, 0);
}

function secondsNow(): number {
  return Math.trunc(performance.now() / 1_000);
}
