import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
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

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('asks the directory once for several creations, and again before it refuses one', async () => {
    for (let made = 0; made < LIMIT; made++) await quota.admit('a');
    expect(projectedCount).toHaveBeenCalledTimes(1);
    projectedCount.mockResolvedValue(LIMIT);
    await expect(quota.admit('a')).rejects.toMatchObject(USED_UP);
    await expect(quota.admit('a')).rejects.toMatchObject(USED_UP);
    expect(projectedCount).toHaveBeenCalledTimes(3);
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

  it('counts anew after a second, for keys that other replicas created', async () => {
    await quota.admit('a');
    const later = performance.now() + 1_100;
    jest.spyOn(performance, 'now').mockReturnValue(later);
    projectedCount.mockResolvedValue(LIMIT);
    await expect(quota.admit('a')).rejects.toMatchObject(USED_UP);
  });

  it('admits every key while the read store is unavailable', async () => {
    projectedCount.mockRejectedValue(new Error('gone'));
    for (let made = 0; made <= LIMIT; made++) await quota.admit('a');
  });
});
