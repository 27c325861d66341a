import { describe, expect, it } from '@jest/globals';
import { hostNetworkOf } from './client-address.js';
import { membership } from './networks.js';

describe('trusted proxies', () => {
  const isTrusted = membership(['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '2001:db8::1']);

  it.each([
    '10.0.0.0',
    '10.255.255.255',
    '192.0.2.7',
    '::ffff:10.1.2.3',
    'fd12::9',
    '2001:db8:0::1',
  ])('are those of the networks: %s', (address) => {
    expect(isTrusted(address)).toBe(true);
  });

  it.each(['11.0.0.1', '192.0.2.8', '::ffff:11.1.2.3', 'fe80::1', '2001:db8::2', 'unknown', ''])(
    'are no others: %s',
    (address) => {
      expect(isTrusted(address)).toBe(false);
    },
  );

  it('are none by default', () => {
    expect(membership([])('127.0.0.1')).toBe(false);
  });
});

describe('the network of a host', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::5:6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
  ])('of %s is %s', (address, network) => {
    expect(hostNetworkOf(address)).toBe(network);
  });
});
