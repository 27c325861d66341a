import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { orderAt, orderOf, positionIn, timeIn } from './order.js';

const TIMES = fc.date({
  min: new Date('1970-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

describe('a place in the order of the audit trail', () => {
  it('gives back its time and its position', () => {
    fc.assert(
      fc.property(TIMES, fc.string(), (at, position) => {
        const order = orderOf(at.toISOString(), position);
        expect(timeIn(order)).toBe(at.toISOString());
        expect(positionIn(order)).toBe(position);
      }),
    );
  });

  it('compares as text by time, and by position where times are equal', () => {
    fc.assert(
      fc.property(TIMES, TIMES, (one, other) => {
        const [a, b] = [orderOf(one.toISOString(), '1'), orderOf(other.toISOString(), '2')];
        expect(a < b).toBe(one <= other);
        expect(orderAt(one.toISOString()) < a).toBe(true);
      }),
    );
  });
});
