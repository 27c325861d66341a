import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { positionOf as positionOnServerOf } from '../../../event-sourcing/event-log/eventstoredb/stored-form.js';
import { positionOf } from '../../../event-sourcing/event-log/sqlite/stored-form.js';
import { orderAt, orderOf, timeIn } from './order.js';

const TIMES = fc.date({
  min: new Date('1970-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

/** The two numbers of a position on a server. Several events may share the first one. */
function numbersAt(place: number): { commit: bigint; prepare: bigint } {
  return { commit: BigInt(place) / 3n, prepare: BigInt(place) };
}

describe('a place in the order of the audit trail', () => {
  it('gives back its time', () => {
    fc.assert(
      fc.property(TIMES, fc.string(), (at, position) => {
        const order = orderOf(at.toISOString(), position);
        expect(timeIn(order)).toBe(at.toISOString());
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

  it.each([
    ['the embedded log', (row: number) => positionOf(row, randomUUID())],
    ['a log server', (place: number) => positionOnServerOf(numbersAt(place), randomUUID())],
  ])('compares by position in %s, however long the numbers are', (_, positionAt) => {
    const places = fc.oneof(fc.nat(20), fc.maxSafeNat());
    const orderAtPlace = (place: number) => orderOf('2026-01-01T00:00:00.000Z', positionAt(place));
    fc.assert(
      fc.property(places, places, (one, other) => {
        fc.pre(one !== other);
        expect(orderAtPlace(one) < orderAtPlace(other)).toBe(one < other);
      }),
    );
  });
});
