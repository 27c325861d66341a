import { describe, expect, it } from '@jest/globals';
import { whyNotLive } from './liveness.js';

const NOON = '2026-01-01T12:00:00.000Z';

describe('a key', () => {
  it.each([
    [false, null, null],
    [false, '2026-01-01T12:00:00.001Z', null],
    [false, NOON, 'key-expired'],
    [false, '2025-12-31T00:00:00.000Z', 'key-expired'],
    [true, null, 'key-disabled'],
    [true, NOON, 'key-disabled'],
  ])('with disabled %j that expires at %j is at noon %j', (disabled, expires_at, refusal) => {
    expect(whyNotLive({ disabled, expires_at }, new Date(NOON))).toBe(refusal);
  });
});
