/** Amounts that keys use: usage and BYOK usage in 10⁻⁹ USD, and requests. Sums have no bound. */
export interface Amounts {
  readonly usage: bigint;
  readonly byok_usage: bigint;
  readonly requests: bigint;
}

/** Amounts in events and documents: whole decimals, because JSON has no exact large integers. */
export type StoredAmounts = { readonly [Quantity in keyof Amounts]: string };

export const ZERO_AMOUNTS: StoredAmounts = { usage: '0', byok_usage: '0', requests: '0' };

export function amountsIn({ usage, byok_usage, requests }: StoredAmounts): Amounts {
  return { usage: BigInt(usage), byok_usage: BigInt(byok_usage), requests: BigInt(requests) };
}

export function storedAmounts({ usage, byok_usage, requests }: Amounts): StoredAmounts {
  return { usage: String(usage), byok_usage: String(byok_usage), requests: String(requests) };
}

export function plus(one: Amounts, other: Amounts): Amounts {
  return {
    usage: one.usage + other.usage,
    byok_usage: one.byok_usage + other.byok_usage,
    requests: one.requests + other.requests,
  };
}

export function plusStored(one: StoredAmounts, other: StoredAmounts): StoredAmounts {
  return storedAmounts(plus(amountsIn(one), amountsIn(other)));
}

/**
 * Makes a function that sums up what a report holds only once. Several projections fold the same
 * report, and each runs again when it misses a document.
 */
export function memoize<Report extends object, Sums>(
  sumUp: (report: Report) => Sums,
): (report: Report) => Sums {
  const known = new WeakMap<Report, Sums>();
  return (report) => {
    const before = known.get(report);
    if (before !== undefined) return before;
    const sums = sumUp(report);
    known.set(report, sums);
    return sums;
  };
}

/** Sums up items by name, in the order in which the names appear. `first` has the name first. */
export function sumsBy<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  amountsOf: (item: Item) => Amounts,
) {
  const sums = new Map<string, { readonly first: Item; amounts: Amounts }>();
  for (const item of items) {
    const name = nameOf(item);
    const sum = sums.get(name);
    if (sum) sum.amounts = plus(sum.amounts, amountsOf(item));
    else sums.set(name, { first: item, amounts: amountsOf(item) });
  }
  return [...sums.values()].map(({ first, amounts }) => ({
    first,
    amounts: storedAmounts(amounts),
  }));
}
