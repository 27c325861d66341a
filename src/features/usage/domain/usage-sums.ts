import {
  type Amounts,
  amountsIn,
  ZERO_AMOUNTS,
  memoize,
  plus,
  type StoredAmounts,
  sumsBy,
} from './amounts.js';
import type { Reversed, UsageEvent } from './usage.events.js';

/** The amounts that an event adds, by key, day and user. */
export type UsageSums = Omit<Reversed, 'report_id'>;

/**
 * Returns the sums of a report, or, for a report that is reversed, the same sums below zero. All
 * that is counted adds these, so it needs to know nothing of reports that are reversed.
 */
export function sumsIn({ type, data }: UsageEvent): UsageSums {
  return type === 'UsageReported' ? data : reversal(data);
}

const reversal = memoize(({ sums, unattributed_sums, ...rest }: Reversed): UsageSums => ({
  sums: sums.map(({ key, day, user, ...amounts }) => ({ key, day, user, ...minus(amounts) })),
  unattributed_sums: unattributed_sums.map(({ day, ...amounts }) => ({ day, ...minus(amounts) })),
  ...rest,
}));

function minus({ usage, byok_usage, requests }: StoredAmounts): StoredAmounts {
  const negative = (amount: string): string => String(-BigInt(amount));
  return {
    usage: negative(usage),
    byok_usage: negative(byok_usage),
    requests: negative(requests),
  };
}

/** The sums of a report by key and day. */
export const sumsOfKeys = memoize(({ sums }: UsageSums) =>
  sumsBy(sums, ({ key, day }) => `${key} ${day}`, amountsIn),
);

/** The sums of a report by workspace and day. */
export const sumsOfWorkspaces = memoize((report: UsageSums) => {
  const sums = sumsOfKeys(report).map(({ first: { key, day }, amounts }) => ({
    day,
    workspace_id: report.keys[key]?.workspace_id ?? '',
    ...amounts,
  }));
  return sumsBy(sums, ({ day, workspace_id }) => day + workspace_id, amountsIn);
});

/** The sums of a report by user and day. The user is null where none is named. */
export const sumsOfUsers = memoize(({ sums }: UsageSums) =>
  sumsBy(sums, ({ day, user }) => day + (user ?? ''), amountsIn),
);

export function sumUp(sums: readonly StoredAmounts[]): Amounts {
  return sums.map(amountsIn).reduce(plus, amountsIn(ZERO_AMOUNTS));
}

/** Returns all of a report in one sum, what is unattributed included. */
export const totalOf = memoize(({ sums, unattributed_sums }: UsageSums): Amounts =>
  sumUp([...sums, ...unattributed_sums]),
);
