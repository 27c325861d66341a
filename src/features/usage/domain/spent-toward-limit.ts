import { dayOf } from '../../../kernel/day.js';
import type { NanoUsd } from '../../../kernel/usd.js';
import type { LimitReset } from '../../../kernel/limit-reset.js';
import {
  countedPart,
  isWithin,
  type Limited,
  type Spent,
  type UsageByWindow,
  type Window,
  windowOf,
} from '../../keys/domain/limit.js';
import { type Amounts, amountsIn } from './amounts.js';
import { dayIn, daysIn, type SubjectUsage } from './subject-usage.js';
import { sumUp } from './usage-sums.js';

type Windows = Readonly<Record<LimitReset, Window>>;

/** Returns the windows that contain `now`: the same for all limits, and they take time to find. */
export function windowsAt(now: Date): Windows {
  return {
    daily: windowOf('daily', now),
    weekly: windowOf('weekly', now),
    monthly: windowOf('monthly', now),
  };
}

export function usageIn({ daily, weekly, monthly }: Windows, used: SubjectUsage): UsageByWindow {
  return {
    total: spentIn(null, used),
    daily: spentIn(daily, used),
    weekly: spentIn(weekly, used),
    monthly: spentIn(monthly, used),
  };
}

/** Returns the amounts that were used on the days of a window, or in all without a window. */
function spentIn(window: Window | null, { totals, days }: SubjectUsage): Amounts {
  if (window === null) return amountsIn(totals);
  const within = daysIn(days).filter((text) => isWithin(window, dayOf(text)));
  return sumUp(within.map(dayIn));
}

/** The window and the kinds of usage that a limit counts at one moment. */
export interface Counting extends Pick<Limited, 'limit_reset' | 'include_byok_in_limit'> {
  /** Null for a limit that never resets. */
  readonly window: Window | null;
}

export function countingOf({ limit_reset, include_byok_in_limit }: Limited, now: Date): Counting {
  const window = limit_reset && windowOf(limit_reset, now);
  return { limit_reset, include_byok_in_limit, window };
}

/** Whether a limit still counts these at `now`. */
export function countsSo(counting: Counting, limited: Limited, now: Date): boolean {
  return (
    counting.limit_reset === limited.limit_reset &&
    counting.include_byok_in_limit === limited.include_byok_in_limit &&
    isCurrent(counting, now)
  );
}

/** Whether the window is not over. */
export function isCurrent({ window }: Counting, now: Date): boolean {
  return window === null || isWithin(window, dayOf(now.toISOString()));
}

export function countedOfUsage(counting: Counting, used: SubjectUsage): NanoUsd {
  return countedPart(counting, spentIn(counting.window, used));
}

export function countedOfDay(day: string, counting: Counting, spent: Spent): NanoUsd {
  const { window } = counting;
  return window === null || isWithin(window, day) ? countedPart(counting, spent) : 0n;
}
