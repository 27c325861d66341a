import { hash } from 'node:crypto';
import { Big } from 'big.js';
import type { Aggregate } from '../../../kernel/aggregate.js';
import { startOfDay } from '../../../kernel/day.js';
import type { NanoUsd } from '../../../kernel/usd.js';
import { isKeyHash } from '../../../kernel/key-string.js';
import { isEndUserStream } from '../../end-users/domain/end-user.js';
import type { Subject, SubjectKind } from '../../keys/domain/limit.js';
import { type LimitReachedEvent, limitReachedEvents } from './limit-reached.events.js';
import type { Counting } from './spent-toward-limit.js';

/** The parts of a limit that an event reports when they are spent, in percent, the least first. */
export const THRESHOLDS = [80, 100] as const;

const NANO_USD_PER_CENT = 10_000_000;

export function kindOf(subject: Subject): SubjectKind {
  if (isEndUserStream(subject)) return 'end-user';
  return isKeyHash(subject) ? 'key' : 'workspace';
}

/** A spending that has reached a threshold of a limit. */
export interface LimitReached extends Pick<Counting, 'limit_reset' | 'window'> {
  readonly accountId: string;
  readonly subject: Subject;
  readonly kind: SubjectKind;
  /** The hash of the key, the id of the workspace, or the tracking ID of the end user. */
  readonly id: string;
  readonly threshold: number;
  /** In USD, and more than 0. */
  readonly limit: number;
  readonly spent: NanoUsd;
}

/**
 * Returns the least spending that reaches the threshold after the first `reached` ones; null if
 * there is none. A limit of 0 has no thresholds.
 */
export function nextThreshold(limit: number | null, reached: number): NanoUsd | null {
  const threshold = THRESHOLDS[reached];
  if (threshold === undefined || !limit) return null;
  const exact = new Big(limit).times(threshold).times(NANO_USD_PER_CENT);
  return BigInt(exact.round(0, Big.roundUp).toFixed());
}

/** Each name occurs once (docs/api.md 11.5). How BYOK usage counts is not part of it. */
export function limitReachedId(reached: LimitReached): string {
  const { accountId, kind, id, limit_reset, limit, threshold } = reached;
  const { window_start } = timesOf(reached);
  const shortest = new Big(limit).toFixed();
  const name = [accountId, kind, id, limit_reset, window_start, shortest, threshold];
  return hash('sha256', JSON.stringify(name), 'hex');
}

const EVENT_OF = {
  key: 'ApiKeyLimitReached',
  workspace: 'WorkspaceLimitReached',
  'end-user': 'EndUserLimitReached',
} as const satisfies Record<SubjectKind, LimitReachedEvent['type']>;

/** Whether the event of a name is stored. */
export const limitReached: Aggregate<boolean, LimitReachedEvent> = {
  streamOf: (id) => `limit-${id}`,
  events: limitReachedEvents,
  initial: false,
  evolve: () => true,
  sizeOf: () => Infinity,
};

/** Returns no event if the event of this name is stored. */
export function reportLimitReached(isStored: boolean, reached: LimitReached): LimitReachedEvent[] {
  if (isStored) return [];
  const { kind, id, threshold, limit, spent, limit_reset } = reached;
  const times = timesOf(reached);
  const data = { id, threshold, limit, spent: String(spent), limit_reset, ...times };
  return [{ type: EVENT_OF[kind], data }];
}

function timesOf({ window }: LimitReached) {
  return {
    window_start: window && startOfDay(window.since).toISOString(),
    resets_at: window && startOfDay(window.until).toISOString(),
  };
}
