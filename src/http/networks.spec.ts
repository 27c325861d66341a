import { describe, expect, it } from '@jest/globals';
import { membership, plainAddress } from './networks.js';

describe('an address', () => {
  it.each([
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['11.1.2.3', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['fd00::1', true],
    ['fe00::1', false],
    ['nonsense', false],
  ])('%s is in the networks that are named: %s', (address, isMember) => {
    const isIn = membership(['10.0.0.0/8', '192.0.2.7', 'fd00::/8']);
    expect(isIn(address)).toBe(isMember);
  });

  it('is in no network when none is named', () => {
    expect(membership([])('127.0.0.1')).toBe(false);
  });

  it('of IPv4 that is written as IPv6 is the same', () => {
    expect(plainAddress('::ffff:127.0.0.1')).toBe('127.0.0.1');
    expect(plainAddress('::1')).toBe('::1');
  });
});
