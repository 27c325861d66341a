import { expect, it } from '@jest/globals';
import { keyCreated } from '../../../test/support/histories/keys.js';
import { metadataAt } from '../../../test/support/specs/metadata-at.js';
import { MOST_ANSWER_BYTES } from '../../kernel/answer-size.js';
import { key } from './domain/key.js';
import { presentKey, usageFields } from './key.fields.js';
import type { UsageTotals } from './domain/usage.js';

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

it('a record shows usage of both kinds, in all and in each window, each under its own name', () => {
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

function recorded(changes: Parameters<typeof keyCreated>[0]) {
  const state = key.evolve(key.initial, { ...keyCreated(changes), metadata: metadataAt(0) });
  if (!state || state === 'deleted') throw new Error('a key begins otherwise');
  return state;
}

it('a hundred listed keys with the longest texts fit into one answer', () => {
  const text = '\u0001'.repeat(512);
  const external = { user: text, lookup_key_hash: null };
  const one = presentKey(recorded({ name: text, creator_user_id: text, external }), NOW);
  expect(100 * JSON.stringify(one).length).toBeLessThan(MOST_ANSWER_BYTES);
});
