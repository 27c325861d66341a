import { describe, expect, it } from '@jest/globals';
import { hostsIn } from './connection-strings.js';

const HIDDEN = 'an address that is not shown';

describe('what is shown of the connection string of a server', () => {
  it.each([
    ['esdb://admin:hunter2@a.example:2113,b.example?tls=true', 'a.example:2113,b.example'],
    ['esdb+discover://cluster.example', 'cluster.example'],
    ['mongodb://root:hunter2@127.0.0.1:27017/ledger?tls=true', '127.0.0.1:27017'],
    ['mongodb+srv://store.example/', 'store.example'],
    ['mongodb://root:hunter2', HIDDEN],
    ['mongodb://root:1/hunter2@store.example', HIDDEN],
    ['mongodb://root:1?hunter=2@store.example', HIDDEN],
    ['mongodb://root:hunter@2@store.example', HIDDEN],
  ])('of %s is %s', (text, shown) => {
    expect(hostsIn(text)).toBe(shown);
  });
});
