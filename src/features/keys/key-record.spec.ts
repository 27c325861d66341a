import { expect, it } from '@jest/globals';
import { keyCreated } from '../../../test/support/histories/keys.js';
import { metadataAt } from '../../../test/support/specs/metadata-at.js';
import { MOST_ANSWER_BYTES } from '../../kernel/sizes.js';
import { evolveKey } from './domain/key.js';
import type { Spent } from './domain/limit.js';
import { presentKey, usageFields } from './key-record.js';

it('a record shows usage of both kinds, in all and in each window, each under its own name', () => {
  const usd = (amount: bigint): Spent => ({
    usage: amount * 10n ** 9n,
    byok_usage: amount * 10n ** 10n,
  });
  const usage = { total: usd(8n), daily: usd(1n), weekly: usd(2n), monthly: usd(3n) };
  expect(usageFields(usage)).toEqual({
    usage: 8,
    usage_daily: 1,
    usage_weekly: 2,
    usage_monthly: 3,
    byok_usage: 80,
    byok_usage_daily: 10,
    byok_usage_weekly: 20,
    byok_usage_monthly: 30,
  });
});

function recorded(changes: Parameters<typeof keyCreated>[0]) {
  const state = evolveKey(null, { ...keyCreated(changes), metadata: metadataAt(0) });
  if (state === null || state === 'deleted') throw new Error('a key begins otherwise');
  return state;
}

it('a hundred listed keys with the longest texts fit into one answer', () => {
  const text = '\u0001'.repeat(512);
  const external = { user: text, lookup_key_hash: null };
  const one = presentKey(recorded({ name: text, creator_user_id: text, external }));
  expect(100 * JSON.stringify(one).length).toBeLessThan(MOST_ANSWER_BYTES);
});
