import { describe, expect, it } from '@jest/globals';
import { tallies } from '../../../test/support/specs/tally.js';
import { CATALOG, feedLease, fillLease, generationIn, namespaceOf } from './names.js';

const NAMED = { projection: 'end-user-directory', version: 4, generation: 7 };

describe('the name of a namespace', () => {
  it('says its log, projection, version, generation and partition', () => {
    const name = namespaceOf(NAMED);
    expect(name).toBe('main.end-user-directory.v4.g7.p0');
    expect(generationIn(name)).toEqual(NAMED);
  });

  it.each([CATALOG, 'usage.end-user-directory.v4.g7.p0', 'main.end-user-directory.v4.g7.p1', 'x'])(
    'is of no generation of this log and partition: %s',
    (name) => {
      expect(generationIn(name)).toBeUndefined();
    },
  );

  it('fits with its lease into the characters that a store takes', () => {
    const longest = namespaceOf({ ...NAMED, version: 1_000, generation: 1_000_000 });
    expect(fillLease(longest)).toMatch(/^[a-z0-9.-]{1,100}$/);
  });

  it('of the lease of those that feed is another one for other versions', () => {
    const one = feedLease([tallies]);
    expect(one).toMatch(/^main\.projections\.[0-9a-f]{8}\.p0$/);
    expect(feedLease([{ ...tallies, version: 2 }])).not.toBe(one);
    expect(feedLease([tallies])).toBe(one);
  });
});
