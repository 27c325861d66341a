import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Unavailable } from '../../kernel/errors.js';
import { KeyQuota } from './key-quota.js';
import type { KeyDirectory } from './key-directory/key-directory.js';

const LIMIT = 3;
const USED_UP = { code: 'quota-exceeded', details: { quota: 'api-keys', limit: LIMIT } };

describe('the quota of API keys', () => {
  const projectedCount = jest.fn<(accountId: string) => Promise<number>>();
  let quota: KeyQuota;

  beforeEach(() => {
    projectedCount.mockReset().mockResolvedValue(0);
    quota = new KeyQuota(LIMIT, { projectedCount } as Partial<KeyDirectory> as KeyDirectory);
  });

  it('refuses the key after the last', async () => {
    projectedCount.mockResolvedValue(LIMIT - 1);
    await quota.admit('a');
    projectedCount.mockResolvedValue(LIMIT);
    await expect(quota.admit('a')).rejects.toMatchObject(USED_UP);
  });

  it('counts each account by itself', async () => {
    projectedCount.mockImplementation(async (accountId) => (accountId === 'full' ? LIMIT : 0));
    await expect(quota.admit('full')).rejects.toMatchObject(USED_UP);
    await quota.admit('other');
  });

  it('admits keys again once some were deleted', async () => {
    projectedCount.mockResolvedValue(LIMIT);
    await expect(quota.admit('a')).rejects.toMatchObject(USED_UP);
    projectedCount.mockResolvedValue(LIMIT - 1);
    await quota.admit('a');
  });

  it('admits every key while the read store is unavailable', async () => {
    projectedCount.mockRejectedValue(new Unavailable('read store', 'gone'));
    await quota.admit('a');
  });

  it('is not switched off by a fault of the service', async () => {
    projectedCount.mockRejectedValue(new TypeError('a fault'));
    await expect(quota.admit('a')).rejects.toThrow('a fault');
  });
});
