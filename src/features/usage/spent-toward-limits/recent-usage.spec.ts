import { describe, expect, it } from '@jest/globals';
import { hashOf } from '../../../../test/support/histories/usage.js';
import { Unavailable } from '../../../kernel/errors.js';
import { countingOf } from '../domain/spent-toward-limit.js';
import { type RecentReport, RecentUsage } from './recent-usage.js';

const NOW = new Date('2026-03-04T12:00:00.000Z');

const COUNTING = countingOf({ limit: 1, limit_reset: null, include_byok_in_limit: false }, NOW);

/** Gives a report of 1 for each key. */
function reportBy(account_id: string, ...letters: string[]): RecentReport {
  return {
    account_id,
    accepted: letters.length,
    added: letters.map((letter) => ({
      subject: hashOf(letter),
      user: null,
      days: [{ day: '2026-03-04', usage: '1', byok_usage: '0', requests: '1' }],
      last_used_at: NOW.toISOString(),
    })),
  };
}

/** Gives what key a of an account spent. */
function spentAfter(recent: RecentUsage, checkpoint: string, accountId: string): number {
  return Number(recent.spentAfter(checkpoint, accountId, hashOf('a'), COUNTING));
}

describe('recent usage', () => {
  it('has the sum of a key after each checkpoint since the one that was folded', () => {
    const recent = new RecentUsage();
    recent.beginAt('1');
    for (const position of ['4', '2', '3', '5']) recent.add(position, reportBy('own', 'a', 'b'));
    for (const [index, checkpoint] of ['1', '2', '3', '4', '5', '6'].entries())
      expect(spentAfter(recent, checkpoint, 'own')).toBe(Math.max(0, 4 - index));
    expect(() => spentAfter(recent, '0', 'own')).toThrow(Unavailable);
    expect(spentAfter(recent, '1', 'other')).toBe(0);
  });

  it('lets go of what was folded, but not of what a read under way may need', () => {
    const recent = new RecentUsage();
    for (const position of ['1', '2']) recent.add(position, reportBy('own', 'a'));
    const endRead = recent.beginRead();
    recent.letGo('2');
    expect([spentAfter(recent, '', 'own'), recent.records]).toEqual([2, 2]);
    endRead();
    recent.letGo('2');
    expect(() => spentAfter(recent, '1', 'own')).toThrow(Unavailable);
    expect([spentAfter(recent, '2', 'own'), recent.records]).toEqual([0, 0]);
  });

  it('knows the last event of each account that may not be folded', () => {
    const recent = new RecentUsage();
    recent.beginAt('1');
    for (const position of ['3', '4', '2']) recent.add(position, reportBy('busy', 'a'));
    expect([recent.endOf('busy'), recent.endOf('quiet')]).toEqual(['4', '1']);
    recent.letGo('4');
    expect(recent.endOf('busy')).toBe('4');
    recent.beginAt('7');
    expect(recent.endOf('busy')).toBe('7');
    // An own event is heard before what others appended earlier, and may fill a block of its own.
    recent.add('9', { ...reportBy('busy', 'a'), accepted: 1_000 });
    recent.add('8', reportBy('busy', 'a'));
    expect(recent.endOf('busy')).toBe('9');
  });

  it('counts the records since the checkpoint, of all and of each account', () => {
    const recent = new RecentUsage();
    for (let at = 100; at < 700; at++) {
      recent.add(String(at), reportBy('busy', 'a', 'b'));
      if (at % 100 === 0) recent.add(`${at}1`, reportBy('calm', 'c'));
    }
    expect([recent.records, recent.recordsOf('busy'), recent.recordsOf('calm')]).toEqual([
      1_206, 1_200, 6,
    ]);
    recent.letGo('5001');
    expect(recent.recordsOf('busy')).toBeGreaterThanOrEqual(398);
    expect(recent.recordsOf('busy')).toBeLessThanOrEqual(398 + 500);
    recent.letGo('699');
    expect([recent.records, recent.recordsOf('nobody')]).toEqual([0, 0]);
  });

  it('counts the records of a parked account for it alone, and on while others are folded', () => {
    const recent = new RecentUsage();
    recent.parked = new Set(['parked']);
    recent.add('1', reportBy('parked', 'a'));
    recent.letGo('1');
    recent.add('2', reportBy('parked', 'a'));
    recent.add('3', reportBy('own', 'a'));
    expect([recent.recordsOf('parked'), recent.records]).toEqual([2, 1]);
    recent.parked = new Set();
    recent.letGo('3');
    expect([recent.recordsOf('parked'), recent.isParked('parked')]).toEqual([0, false]);
  });

  it('loses the sums of the account that has most of them, and of no other', () => {
    const recent = new RecentUsage(4);
    recent.add('1', reportBy('calm', 'a'));
    recent.add('2', reportBy('busy', 'a', 'b'));
    recent.add('3', reportBy('busy', 'a', 'b'));
    recent.add('4', reportBy('busy', 'a'));
    expect(spentAfter(recent, '', 'calm')).toBe(1);
    expect(() => spentAfter(recent, '', 'busy')).toThrow(Unavailable);
    expect(() => spentAfter(recent, '2', 'busy')).toThrow(Unavailable);
    expect(recent.records).toBe(6);
    expect(spentAfter(recent, '3', 'busy')).toBe(1);
  });
});
