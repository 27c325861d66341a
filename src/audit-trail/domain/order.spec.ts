import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { orderAt, orderIn, orderOf, positionIn, spelledOut, timeIn } from './order.js';

const TIMES = fc.date({
  min: new Date('1970-01-01T00:00:00.000Z'),
  max: new Date('5188-04-22T11:04:28.415Z'),
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

  it('compares as positions do where times are equal, and is shorter', () => {
    const numbers = fc.bigInt({ min: 0n, max: 10n ** 16n - 1n });
    const time = new Date(0).toISOString();
    const positions = (number: bigint): string[] => [
      `${String(number).padStart(16, '0')}-3b241101`,
      `${String(number).padStart(19, '0')}-${String(number).padStart(19, '0')}-3b241101`,
    ];
    fc.assert(
      fc.property(numbers, numbers, (one, other) => {
        const others = positions(other);
        positions(one).forEach((position, form) => {
          const before = orderOf(time, position) < orderOf(time, others[form] ?? '');
          expect(before).toBe(one < other);
          expect(orderAt(time) < orderOf(time, position)).toBe(true);
        });
      }),
    );
    expect(orderOf(time, '0000000001000000-3b241101')).toBe(`${orderAt(time)}q1000000-3b241101`);
  });

  it('is found again where it was spelled out', () => {
    fc.assert(
      fc.property(TIMES, fc.string(), (at, position) => {
        const order = orderOf(at.toISOString(), position);
        expect(spelledOut(order)).toBe(orderAt(at.toISOString()) + position);
        expect(orderIn(spelledOut(order))).toBe(order);
      }),
    );
  });

  it.each([
    ['1969-12-31T23:59:59.999Z', '000000000'],
    ['1970-01-01T00:00:00.035Z', '00000000z'],
    ['2026-11-24T09:00:00.000Z', '0mwugrs00'],
    ['9999-12-31T23:59:59.999Z', 'zzzzzzzzz'],
    ['no time', '000000000'],
  ])('is kept as it always was: %s', (time, order) => {
    expect(orderAt(time)).toBe(order);
  });
});
