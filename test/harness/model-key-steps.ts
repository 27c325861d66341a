import fc from 'fast-check';
import type { Ref, StepCaller } from './model-steps.js';

export interface OneKeyStep {
  readonly type: 'read-key' | 'delete-key';
  readonly caller: StepCaller;
  readonly key: Ref;
}

/** Steps that look at keys, or end one. */
export type KeyStep =
  | OneKeyStep
  | {
      readonly type: 'list-keys';
      readonly caller: StepCaller;
      readonly workspace: Ref | 'all' | undefined;
      readonly query: Readonly<Record<string, string>>;
      readonly good: boolean;
    };

const goodQuery = fc.record(
  {
    offset: fc.nat(6).map(String),
    limit: fc.integer({ min: 1, max: 100 }).map(String),
    include_disabled: fc.constantFrom('true', 'false'),
    unknown: fc.constant('x'),
  },
  { requiredKeys: [] },
);
const badQuery = fc.constantFrom<Record<string, string>>(
  { limit: '0' },
  { limit: '101' },
  { offset: '-1' },
  { include_disabled: 'yes' },
);

export function keyStep(
  caller: fc.Arbitrary<StepCaller>,
  ref: fc.Arbitrary<Ref>,
): fc.Arbitrary<KeyStep> {
  const workspace = fc.oneof(ref, fc.constantFrom('all' as const, undefined));
  const listed = (query: fc.Arbitrary<Record<string, string>>, good: boolean) =>
    fc.record({
      type: fc.constant('list-keys' as const),
      caller,
      workspace,
      query,
      good: fc.constant(good),
    });
  return fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant('read-key' as const), caller, key: ref }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant('delete-key' as const), caller, key: ref }),
    },
    { weight: 4, arbitrary: listed(goodQuery as fc.Arbitrary<Record<string, string>>, true) },
    { weight: 1, arbitrary: listed(badQuery, false) },
  );
}
