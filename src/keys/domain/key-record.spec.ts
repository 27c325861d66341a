import { expect, it } from '@jest/globals';
import { usageFields } from './key-record.js';
import type { UsageTotals } from './usage.js';

const NOW = new Date('2026-03-04T12:00:00Z');

function totals(total: string, daily: string, weekly: string, monthly: string): UsageTotals {
  return {
    total,
    windows: {
      daily: { since: '2026-03-04', amount: daily },
      weekly: { since: '2026-03-02', amount: weekly },
      monthly: { since: '2026-03-01', amount: monthly },
    },
  };
}

it('a record tells usage of both kinds, in all and in each window, each under its own name', () => {
  const usage = { own: totals('8', '1', '2', '3'), byok: totals('80', '10', '20', '30') };
  expect(usageFields(usage, NOW)).toEqual({
    usage: 8,
    usage_daily: 1,
    usage_weekly: 2,
    usage_monthly: 3,
    byok_usage: 80,
    byok_usage_daily: 10,
    byok_usage_weekly: 20,
    byok_usage_monthly: 30,
  });
  expect(usageFields(usage, new Date('2026-03-05T00:00:00Z'))).toMatchObject({
    usage_daily: 0,
    usage_weekly: 2,
    byok_usage_daily: 0,
    byok_usage_monthly: 30,
  });
});
