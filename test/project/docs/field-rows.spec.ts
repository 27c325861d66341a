import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineEvent } from '../../../src/kernel/event.js';
import { jsonSchemaOf } from '../golden-events/schema-record.js';
import { fieldsOf } from './field-rows.js';

describe('the fields of an event', () => {
  it.each([
    ['text', z.string(), 'string', true, false],
    ['text or null', z.string().nullable(), 'string', true, true],
    ['text or nothing', z.string().optional(), 'string', false, false],
    ['text with a rule', z.string().min(1), 'string, minLength 1', true, false],
    [
      'a bounded number or null',
      z.number().nonnegative().nullable(),
      'number, minimum 0',
      true,
      true,
    ],
    ['a choice or null', z.enum(['day', 'week']).nullable(), '`"day"`, `"week"`', true, true],
    ['a list', z.array(z.string()), 'array of string', true, false],
    ['a list with gaps', z.array(z.string().nullable()), 'array of string or null', true, false],
    ['one of two types', z.union([z.string(), z.number()]), 'string or number', true, false],
    ['whatever it may be', z.unknown(), 'anything', true, false],
  ])('say of %s what it is, and whether it may be absent or null', (_, field, ...told) => {
    const [type, required, nullable] = told;
    const schema = jsonSchemaOf(defineEvent('Told', z.object({ field })));
    expect(fieldsOf(schema)).toEqual([{ name: 'field', type, required, nullable }]);
  });

  it('go on with what is within', () => {
    const inner = z.object({ leaf: z.string().optional() });
    const tree = z.object({ one: inner.nullable(), many: z.array(inner) });
    expect(fieldsOf(jsonSchemaOf(defineEvent('Tree', tree)))).toEqual([
      { name: 'one', type: 'object', required: true, nullable: true },
      { name: 'one.leaf', type: 'string', required: false, nullable: false },
      { name: 'many', type: 'array of object', required: true, nullable: false },
      { name: 'many[].leaf', type: 'string', required: false, nullable: false },
    ]);
  });
});
