import { LRUCache } from 'lru-cache';
import type { FollowingMemory } from '../../../event-sourcing/event-log/log-follower.js';
import type { EventRegistry } from '../../../event-sourcing/event-log/event-registry.js';
import type { RecordedEvent } from '../../../event-sourcing/event-log/event-log.js';
import { isOneOf } from '../../../kernel/event.js';
import type { Position } from '../../../kernel/position.js';
import type { LimitedKey } from '../../keys/published/spending.js';
import { type Counting, countedOf, countingOf, isCountedSo } from '../domain/spending.js';
import {
  type Reported,
  type ReportedSum,
  type UsageEvent,
  usageEvents,
} from '../domain/usage.events.js';
import type { NanoUsd } from '../domain/usd.js';

/** The spending of a key that is in memory. Each report adds to it. */
interface Counted {
  readonly counting: Counting;
  /** The position up to which what was read has counted. Only later reports add to it. */
  readonly countedTo: Position;
  amount: NanoUsd;
  /** When it was read, in whole seconds of `performance.now()`. */
  readonly readAt: number;
}

/** A read of what a key has spent. Reports that come meanwhile are kept, because it is not known what the read sees. */
export interface SpendingRead {
  readonly hash: string;
  readonly counting: Counting;
  readonly heard: { readonly position: Position; readonly amount: NanoUsd }[];
  /** Whether the log was replaced meanwhile. */
  isOutdated: boolean;
}

const MOST_BYTES = 40 * 1024 * 1024;
/** How old the newest documents may be that were whole, when it shows that somebody dropped some. */
const LOST_FOR_S = 10;
/** The measured bytes in memory of an entry. Its hash is that of the key in memory. */
const ENTRY_BYTES = 300;

/**
 * What the keys in use have spent toward their limits, by hash. Each report counts exactly once: a read says up to which
 * position it has counted, and later reports are added as they are heard.
 */
export class CountedSpending implements FollowingMemory {
  readonly #counted = new LRUCache<string, Counted>({ maxSize: MOST_BYTES });
  readonly #reads = new Map<string, SpendingRead[]>();
  /** The newest of each kind, which all keys that are counted so share in memory. */
  readonly #countings = new Map<string, Counting>();

  constructor(private readonly registry: EventRegistry) {}

  /** Returns what counts toward the limit of a key at `now`; undefined when that must be read. */
  get(key: LimitedKey, now: Date): NanoUsd | undefined {
    const counted = this.#counted.get(key.hash);
    return counted && isCountedSo(counted.counting, key, now) ? counted.amount : undefined;
  }

  /** Begins a read. Callers call it before they ask how far the log is known. */
  begin(key: LimitedKey, now: Date): SpendingRead {
    const { hash } = key;
    const counting = this.#countingOf(key, now);
    const read: SpendingRead = { hash, counting, heard: [], isOutdated: false };
    this.#reads.set(hash, [...(this.#reads.get(hash) ?? []), read]);
    return read;
  }

  /** Ends a read that found nothing out. */
  abandon(read: SpendingRead): void {
    const others = (this.#reads.get(read.hash) ?? []).filter((one) => one !== read);
    if (others.length > 0) this.#reads.set(read.hash, others);
    else this.#reads.delete(read.hash);
  }

  /** Ends a read that found an amount up to a position, and keeps what it makes with the reports that were heard. */
  end(read: SpendingRead, found: NanoUsd, countedTo: Position): NanoUsd {
    this.abandon(read);
    const amount = read.heard
      .filter(({ position }) => position > countedTo)
      .reduce((sum, heard) => sum + heard.amount, found);
    if (!read.isOutdated) {
      const { counting } = read;
      const readAt = secondsNow();
      this.#counted.set(read.hash, { counting, countedTo, amount, readAt }, { size: ENTRY_BYTES });
    }
    return amount;
  }

  /** Adds a report to the keys in memory, and to the reads under way. */
  hear(recorded: RecordedEvent): void {
    // Decoding takes time, and on a process that decides about no limits nothing needs it.
    if (this.#counted.size === 0 && this.#reads.size === 0) return;
    const report = this.#reportOrForgotten(recorded);
    if (!report) return;
    const { position } = recorded;
    for (const sum of report.sums) {
      const hash = report.keys[sum.key]?.hash ?? '';
      const counted = this.#counted.peek(hash);
      if (counted && position > counted.countedTo)
        counted.amount += countedOf(counted.counting, sum);
      for (const read of this.#reads.get(hash) ?? []) addTo(read, position, sum);
    }
  }

  forgetAll(): void {
    this.#counted.clear();
    this.#outdateReads();
  }

  /** Forgets what was read lately, because the documents may have been dropped in part before. */
  forgetLatest(): void {
    const since = secondsNow() - LOST_FOR_S;
    for (const [hash, { readAt }] of this.#counted) if (readAt >= since) this.#counted.delete(hash);
    this.#outdateReads();
  }

  #outdateReads(): void {
    for (const reads of this.#reads.values()) for (const read of reads) read.isOutdated = true;
  }

  #countingOf(key: LimitedKey, now: Date): Counting {
    const kind = `${key.limit_reset} ${key.include_byok_in_limit}`;
    const newest = this.#countings.get(kind);
    if (newest && isCountedSo(newest, key, now)) return newest;
    const counting = countingOf(key, now);
    this.#countings.set(kind, counting);
    return counting;
  }

  /** Returns a report like `reportIn`. Forgets all keys at one that cannot be read, as it may name any of them. */
  #reportOrForgotten(recorded: RecordedEvent): Reported | null {
    try {
      return reportIn(recorded, this.registry);
    } catch {
      this.forgetAll();
      return null;
    }
  }
}

function secondsNow(): number {
  return Math.trunc(performance.now() / 1_000);
}

/** Returns the report in an event; null in other events. @throws UnreadableEventError when it cannot be read. */
export function reportIn(recorded: RecordedEvent, registry: EventRegistry): Reported | null {
  const event = registry.decode(recorded);
  return event && isOneOf<UsageEvent>(usageEvents, event) ? event.data : null;
}

/** Adds a sum of the key of a read, from the report at a position. */
export function addTo(read: SpendingRead, position: Position, sum: ReportedSum): void {
  read.heard.push({ position, amount: countedOf(read.counting, sum) });
}
