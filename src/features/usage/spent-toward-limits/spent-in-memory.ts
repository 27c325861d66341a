import { LRUCache } from 'lru-cache';
import type { FollowingMemory } from '../../../event-sourcing/event-log/log-follower.js';
import type { EventRegistry } from '../../../event-sourcing/event-log/event-registry.js';
import type { RecordedEvent } from '../../../event-sourcing/event-log/event-log.js';
import type { OwnEvent } from '../../../event-sourcing/decisions/decision-runner.js';
import { type DomainEvent, isOneOf } from '../../../kernel/event.js';
import type { Clock } from '../../../kernel/clock.js';
import { isKeyHash } from '../../../kernel/key-string.js';
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
  readonly counting: Counting;
  /** The position up to which the read models had counted. Only later reports add to the amount. */
  readonly countedTo: Position;
  amount: NanoUsd;
  /** The time when it was read, in whole seconds of `performance.now()`. */
  readonly readAt: number;
  /** In USD, as last known. Null for none; undefined if it counts otherwise until it is read. */
  limit: number | null | undefined;
  /** The tracking ID of an end user. Absent if they are not registered: then nobody is told. */
  user: string | undefined;
  /** How many thresholds of the limit were reached, and are told of. */
  reached: number;
  /** The spending that reaches the next threshold; null if there is none. */
  next: NanoUsd | null;
}

/** The most bytes for keys and workspaces, and for end users, whom anyone can invent. */
const MOST_SPENT_BYTES = 40 * 1024 * 1024;
const MOST_SPENT_BYTES_OF_USERS = 12 * 1024 * 1024;
/** The greatest age of the last whole documents when a drop of documents is noticed. */
const LOST_FOR_S = 10;
/** The measured bytes in memory of an entry. The name of a key is that of the key in memory. */
const SPENT_ENTRY_BYTES = 375;
const USER_ENTRY_BYTES = 475;
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
  get(
    subject: Subject,
    limited: Limited,
    now: Date,
    user: string | null | undefined,
  ): NanoUsd | undefined {
    const counted = this.#memoryOf(subject).get(subject);
    if (!counted || !countsSo(counted.counting, limited, now)) return undefined;
    const limit = user === null ? null : limited.limit;
    if (counted.limit !== limit) {
      counted.user = user ?? undefined;
      this.#setLimit(subject, counted, limit, now);
    } else if (counted.next !== null && counted.amount >= counted.next) {
      this.#noticeAndKeep(subject, counted, now, false);
    }
    return counted.amount;
  }

  /** Reads and keeps what counts toward a limit, with reports after the checkpoint. */
  async read(
    accountId: string,
    subject: Subject,
    limited: Limited,
    now: Date,
    user: string | null | undefined,
    folded: () => Promise<FoldedUsage>,
  ): Promise<NanoUsd> {
    const epoch = this.#epoch;
    const counting = this.#countingOf(limited, now);
    const endRead = this.recent.beginRead();
    try {
      const { usage, checkpoint: countedTo } = await folded();
      const since = this.recent.spentAfter(countedTo, accountId, subject, counting);
      const counted: Counted = {
        accountId,
        counting,
        countedTo,
        amount: since + (usage ? countedOfUsage(counting, usage) : 0n),
        readAt: secondsNow(),
        limit: user === null ? null : limited.limit,
        user: user ?? undefined,
        reached: 0,
        next: null,
      };
      const before = this.#memoryOf(subject).peek(subject);
      const isKnown = before?.counting === counting && before.limit === counted.limit;
      if (isKnown) counted.reached = before.reached;
      counted.next = nextThreshold(counted.limit, counted.reached);
      this.#notice(subject, counted, now, false);
      if (epoch === this.#epoch) this.#memoryOf(subject).set(subject, counted);
      return counted.amount;
    } finally {
      endRead();
    }
  }

  /** Changes a limit in memory. One that counts otherwise then is noticed once it is read again. */
  limitChanged(subject: Subject, change: Partial<Limited>): void {
    const counted = this.#memoryOf(subject).peek(subject);
    if (!counted || (isEndUserStream(subject) && counted.user === undefined)) return;
    // A change of a key says one field, and how its limit counts may be another by now.
    if (counted.limit === undefined && isKeyHash(subject)) return;
    const now = this.clock.now();
    const limited = { limit: counted.limit ?? null, ...counted.counting, ...change };
    const limit = countsSo(counted.counting, limited, now) ? limited.limit : undefined;
    // An own event comes a second time, from the log.
    if (counted.limit !== limit) this.#setLimit(subject, counted, limit, now);
  }

  /** Changes the limit of end users. Whoever has reached it is noticed when next asked about. */
  commonLimitChanged(
    accountId: string,
    limited: Limited | null,
    holdsFor: (subject: Subject) => boolean | undefined,
  ): void {
    const counting = limited && this.#countingOf(limited, this.clock.now());
    for (const [subject, counted] of this.#countedOfUsers) {
      if (counted.accountId !== accountId || counted.user === undefined) continue;
      const holds = holdsFor(subject);
      if (holds === false) continue;
      const isKnown = holds === true && (!limited || counted.counting === counting);
      const limit = isKnown ? (limited?.limit ?? null) : undefined;
      if (counted.limit === limit) continue;
      Object.assign(counted, { limit, reached: 0, next: nextThreshold(limit, 0) });
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
    this.recent.add(position, { account_id, accepted, added });
    for (const { subject, days } of added) {
      const counted = this.#memoryOf(subject).peek(subject);
      if (!counted || position <= counted.countedTo) continue;
      for (const day of days) {
        counted.amount += countedOfDay(day.day, counted.counting, amountsIn(day));
      }
      if (counted.next !== null && counted.amount >= counted.next) {
        this.#noticeAndKeep(subject, counted, this.clock.now(), true);
      }
    }
  }

  #setLimit(subject: Subject, counted: Counted, limit: Counted['limit'], now: Date): void {
    counted.limit = limit;
    counted.reached = 0;
    counted.next = nextThreshold(limit, 0);
    this.#noticeAndKeep(subject, counted, now, false);
  }

  #noticeAndKeep(subject: Subject, counted: Counted, now: Date, isReported: boolean): void {
    if (!this.#notice(subject, counted, now, isReported)) return;
    // A copy, because the size of the same object is not computed again. A spread would be larger.
    const { accountId, counting, countedTo, amount, readAt, limit, user, reached, next } = counted;
    this.#memoryOf(subject).set(subject, {
      accountId,
      counting,
      countedTo,
      amount,
      readAt,
      limit,
      user,
      reached,
      next,
    });
  }

  /**
   * Notices the thresholds that were reached, unless their window is over.
   * @returns whether there are any.
   */
  #notice(subject: Subject, counted: Counted, now: Date, isReported: boolean): boolean {
    const { accountId, amount, counting, limit, user } = counted;
    if (!limit || counted.next === null || amount < counted.next) return false;
    const { limit_reset, window } = counting;
    if (!isCurrent(counting, now)) return false;
    const kind = kindOf(subject);
    const id = user ?? subject;
    while (counted.next !== null && amount >= counted.next) {
      const threshold = THRESHOLDS[counted.reached] ?? 0;
      const what = { accountId, subject, kind, id, threshold, limit, limit_reset, window };
      this.notices.add({ spent: amount, ...what }, isReported);
      counted.reached += 1;
      counted.next = nextThreshold(limit, counted.reached);
    }
    return true;
  }

  #spendingOf(maxSize: number, entryBytes: number): LRUCache<Subject, Counted> {
    return new LRUCache<Subject, Counted>({
      maxSize,
      sizeCalculation: ({ reached, user }) =>
        entryBytes + (user === undefined ? 0 : bytesOf(user)) + reached * REACHED_BYTES,
      dispose: (_, subject, reason) => {
        if (reason !== 'set') this.notices.forget(subject);
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

function secondsNow(): number {
  return Math.trunc(performance.now() / 1_000);
}
