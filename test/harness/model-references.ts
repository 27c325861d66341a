import fc from 'fast-check';

/** Who calls: one of the accounts by its number, somebody with an API key, or somebody without a key. */
export type StepCaller = number | 'api-key' | 'nobody';

/** A thing by its number among the account's own or among all, those of other accounts too; or one that does not exist. */
export type Ref = { readonly among: 'own' | 'all'; readonly number: number } | 'unknown';

/** People whom accounts may have as members. Few, so that steps meet. */
export const user = fc.constantFrom('ada', 'bob', 'grace', 'owner');
/** The first account is busiest, so that steps meet. */
export const account = fc.constantFrom(0, 0, 0, 1, 2);
export const caller: fc.Arbitrary<StepCaller> = fc.oneof(
  { weight: 20, arbitrary: account },
  { weight: 1, arbitrary: fc.constantFrom<StepCaller>('api-key', 'nobody') },
);
export const ref: fc.Arbitrary<Ref> = fc.oneof(
  { weight: 16, arbitrary: fc.record({ among: fc.constant('own' as const), number: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ among: fc.constant('all' as const), number: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.constant('unknown' as const) },
);
export const maybeWorkspace = fc.option(ref, { nil: undefined, freq: 2 });
export const restrictions = fc.subarray(['eu-only', 'zero-retention', 'no-training'], {
  maxLength: 2,
});
/** Where a page begins and how long it is, as the query of a list has it. */
export const paging = {
  offset: fc.nat(10).map(String),
  limit: fc.integer({ min: 1, max: 100 }).map(String),
};
/** Queries of pages that no list has. */
export const badPaging: readonly Readonly<Record<string, string>>[] = [
  { limit: '0' },
  { limit: '101' },
  { limit: '1e1' },
  { offset: '-1' },
  { offset: '' },
];

/** Now and then something bad. */
export function maybeBad<Value>(
  bad: readonly Readonly<Record<string, Value>>[],
): fc.Arbitrary<Readonly<Record<string, Value>> | undefined> {
  return fc.option(fc.constantFrom(...bad), { nil: undefined, freq: 15 });
}
