import { describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { positionOf, rowIdIn } from './stored-form.js';

describe('Positions in the embedded log', () => {
  it('tell events apart that two copies of a log were given in the same moment, in the same place', () => {
    const msecs = Date.parse('2026-01-01T00:00:00Z');
    expect(positionOf(7, uuidv7({ msecs }))).not.toBe(positionOf(7, uuidv7({ msecs })));
  });

  it('are in the order of their rows, whatever the ids', () => {
    const ids = [uuidv7(), uuidv7(), uuidv7()];
    const positions = ids.map((id, index) => positionOf(9 + index, id));
    expect([...positions].sort()).toEqual(positions);
    expect(positions.map(rowIdIn)).toEqual([9, 10, 11]);
  });
});
