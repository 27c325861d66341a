import fc from 'fast-check';

/** The values that an arbitrary makes. */
export type ValueOf<Made> = Made extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * The caller of a step: an account by its number, a caller with an API key, or a caller without a
 * key.
 */
export type StepCaller = number | 'api-key' | 'nobody';

/** A reference by number among the account's own objects or among all, or to an unknown object. */
export type Ref = { readonly among: 'own' | 'all'; readonly number: number } | 'unknown';

/** The users of the model. There are few, so that steps often concern the same user. */
export const user = fc.constantFrom('ada', 'bob', 'grace', 'owner');
/**
 * The accounts of the model. The first is the busiest, so that steps often concern the same
 * objects.
 */
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
/** The offset and the limit of a page, as query parameters. */
export const paging = {
  offset: fc.nat(3).map(String),
  limit: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 100 })).map(String),
};
/** Invalid offsets and limits. */
export const badPaging: readonly Readonly<Record<string, string>>[] = [
  { limit: '0' },
  { limit: '101' },
  { limit: '1e1' },
  { offset: '-1' },
  { offset: '' },
  { cursor: 'next' },
  { unknown: 'x' },
];

/** Gives an invalid value from time to time. */
export function maybeBad<Value>(
  bad: readonly Readonly<Record<string, Value>>[],
): fc.Arbitrary<Readonly<Record<string, Value>> | undefined> {
  return fc.oneof(
    { weight: 14, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  );
}
