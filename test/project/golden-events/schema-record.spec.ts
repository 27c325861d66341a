import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineEvent } from '../../../src/kernel/event.js';
import { talliedV1, talliedV2, talliedV3 } from '../../support/specs/tally-versions.js';
import { breaches, recordOf, unrecorded } from './schema-record.js';

const recorded = recordOf([talliedV1, talliedV2]);

describe('the record of event schemas', () => {
  it('takes a new version and has nothing against it', () => {
    const current = recordOf([talliedV1, talliedV2, talliedV3]);
    expect(breaches(recorded, current)).toEqual([]);
    expect(unrecorded(recorded, current)).toEqual(['Tallied@3']);
  });

  it.each([
    ['a field more', { count: z.number(), more: z.string() }],
    ['a field less', {}],
    ['a field of another name', { amount: z.number() }],
    ['a field that may be null', { count: z.number().nullable() }],
    ['a field that may be absent', { count: z.number().optional() }],
    ['a field of another type', { count: z.string() }],
    ['a narrower field', { count: z.number().positive() }],
  ])('catches %s, and says what to do', (_, shape) => {
    const changed = defineEvent('Tallied', z.object(shape));
    const found = breaches(recorded, recordOf([changed, talliedV2]));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^Tallied@1 .* the next version, with an upcaster/);
  });

  it('takes an optional field more, which events stored before do not have', () => {
    const more = z.object({ count: z.number(), more: z.string().optional() });
    const changed = recordOf([defineEvent('Tallied', more), talliedV2]);
    expect(breaches(recorded, changed)).toEqual([]);
    expect(breaches(changed, recorded)).toHaveLength(1);
  });

  it('catches a version that is gone', () => {
    expect(breaches(recorded, recordOf([talliedV2]))).toEqual([
      expect.stringMatching(/^Tallied@1 is not declared any more/),
    ]);
  });

  it.each([
    ['refines', z.string().refine((text) => text.length > 1)],
    ['rewrites', z.string().trim()],
    ['transforms', z.string().transform((text) => text.length)],
    ['coerces', z.coerce.number()],
    ['preprocesses', z.preprocess((input) => input, z.string())],
  ])('takes no schema that %s: a change to it would not be seen', (_, field) => {
    const opaque = defineEvent('Opaque', z.object({ inner: z.object({ field }).nullable() }));
    expect(() => recordOf([opaque])).toThrow('Opaque@1 has a rule no JSON Schema shows');
  });

  it('takes no schema that is not of zod', () => {
    const other = defineEvent('Other', { parse: (input) => input });
    expect(() => recordOf([other])).toThrow('Other@1 has no zod schema');
  });
});
