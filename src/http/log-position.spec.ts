import { describe, expect, it } from '@jest/globals';
import { logPositionHeaders, noteRead } from './log-position.js';

const [AT, LATER] = ['0000000000000042-a', '0000000000000043-b'];
const STALE = { 'X-Log-Position': AT, 'Keyledger-Stale': 'true' };

describe('an answer of a read model', () => {
  it('is stale where a read waited in vain, until a read there has all writes', () => {
    noteRead('keys', AT, false);
    expect(logPositionHeaders(AT)).toEqual(STALE);
    expect(logPositionHeaders(LATER)).toEqual({ 'X-Log-Position': LATER });
    noteRead('keys', LATER, true);
    expect(logPositionHeaders(AT)).toEqual(STALE);
    noteRead('keys', AT, true);
    expect(logPositionHeaders(AT)).toEqual({ 'X-Log-Position': AT });
  });

  it('is stale where any of its read models is', () => {
    noteRead('keys', AT, false);
    noteRead('accounts', AT, true);
    expect(logPositionHeaders(AT)).toEqual(STALE);
  });
});
